"""`agent-discovery index`, and what every command makes of a built index, whole or not."""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from command import assert_refused
from corpus_files import json_lines, lay, refusal
from generated import random_texts
from pytest import fixture, mark, raises

from agent_discovery import Registry
from agent_discovery.errors import InputError
from agent_discovery.files import written_aside
from agent_discovery.retrieval import build as building
from agent_discovery.retrieval.array_writer import JOURNAL, ArrayWriter

CARDS = [
    {"id": "print", "name": "Printer", "description": "Convert any document to PDF."},
    {"id": "scan", "name": "Scanner", "description": "Document."},
    {"id": "rain", "name": "Weather", "description": "Rain in a city."},
]
QUERIES = [{"id": "q1", "text": "print a document"}]
REQUEST = "convert a document to PDF"
# Small steps, so that a small registry takes many; and then the command line.
MANY_STEPS = (
    "from agent_discovery.retrieval import build; from agent_discovery.cli import main; "
    "build.STEP_CARDS, build.CHUNK_ENTRIES, build.PARTITION_ENTRIES = 40, 500, 2000; main()"
)


class Killed(BaseException):
    """Like a kill, no handler of the product sees to it."""


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@fixture
def registry(tmp_path) -> Path:
    files = {"cards.jsonl": json_lines(*CARDS), "queries.jsonl": json_lines(*QUERIES)}
    return lay(tmp_path / "registry", files)


@fixture
def index(cli, registry, tmp_path) -> Path:
    ended = cli("index", registry, tmp_path / "index")
    assert ended == (0, f"{tmp_path / 'index'}: 3 cards indexed\n", "")
    return tmp_path / "index"


@mark.parametrize("form", [[], ["--json"]])
@mark.parametrize("verify", [[], ["--no-verify"]])
def test_a_built_index_answers_as_the_registry_does(cli, registry, index, form, verify):
    ended = cli("search", "--registry", index, REQUEST, *form, *verify)
    assert ended == cli("search", "--registry", registry, REQUEST, *form)
    assert ended.code == 0 and "print" in ended.out
    told = cli("explain", "--registry", index, REQUEST, "scan", *form, *verify)
    assert told == cli("explain", "--registry", registry, REQUEST, "scan", *form)


def test_the_registry_is_not_read_again(cli, registry, index):
    before = contents(index)
    shutil.rmtree(registry)
    assert cli("search", "--registry", index, REQUEST).code == 0
    assert cli("verify", index) == (0, f"{index}: whole, 3 cards\n", "")
    assert contents(index) == before


def test_it_can_be_moved(cli, index, tmp_path):
    index.rename(tmp_path / "elsewhere")
    assert cli("search", "--registry", tmp_path / "elsewhere", REQUEST).code == 0


def test_the_card_level_is_chosen_when_it_is_built(cli, tmp_path):
    card = {"name": "Office", "skills": [{"id": "s", "name": "print", "description": "paper"}]}
    source = lay(tmp_path / "office", {"office.json": card})
    assert cli("index", source, tmp_path / "tools", "--card-level", "tool").code == 0
    ended = cli("search", "--registry", tmp_path / "tools", "paper", "--json")
    assert json.loads(ended.out)["id"] == "office::print"
    again = cli("search", "--registry", tmp_path / "tools", "paper", "--card-level", "agent")
    assert_refused(again, "is indexed already: its card level was chosen when it was built")


@mark.parametrize("level", ["auto", "tool"])
def test_what_is_there_is_not_overwritten(cli, registry, tmp_path, level):
    lay(tmp_path / "mine", {"notes.txt": "precious"})
    ended = cli("index", registry, tmp_path / "mine", "--card-level", level)
    assert_refused(ended, "mine: is there already: delete it, or build elsewhere")
    assert contents(tmp_path / "mine") == {"notes.txt": b"precious"}


def test_an_index_is_not_indexed_again(cli, index, tmp_path):
    assert_refused(cli("index", index, tmp_path / "second"), "index: is indexed already")


def test_an_index_is_not_put_among_the_cards(cli, registry, monkeypatch):
    before = contents(registry)
    monkeypatch.chdir(registry)
    assert_refused(cli("index", ".", "index"), "index: is inside the registry")
    assert contents(registry) == before


@mark.parametrize("out", ["", ".", "/", "..", "none/.."])
def test_a_place_that_is_no_name_is_one_line(cli, registry, tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    before = contents(tmp_path)
    ended = cli("index", registry, out)
    assert_refused(ended, "is there already" if Path(out).exists() and out else "cannot be made")
    assert contents(tmp_path) == before


def test_a_link_in_the_place_of_a_build_is_not_followed(cli, registry, tmp_path):
    precious = lay(tmp_path / "precious", {"cards.parquet": "kept", "isi/token_data.bin": "kept"})
    before = contents(precious)
    (tmp_path / ".out.part").symlink_to(precious)
    ended = cli("index", registry, tmp_path / "out")
    assert_refused(ended, f"{tmp_path / '.out.part'}: a file or a link is in the way: remove it")
    assert contents(precious) == before and not (tmp_path / "out").exists()


def test_two_builds_at_once(cli, registry, index, tmp_path):
    with written_aside(tmp_path / "second", resumed=True):
        assert_refused(cli("index", registry, tmp_path / "second"), "another run is writing it")
    (tmp_path / "second").rmdir()
    assert cli("index", registry, tmp_path / "second").code == 0
    assert contents(tmp_path / "second") == contents(index)


def test_a_broken_card_leaves_nothing(cli, tmp_path):
    source = lay(tmp_path / "broken", {"a.json": CARDS[0], "b.json": "{"})
    assert_refused(cli("index", source, tmp_path / "out" / "index"), "b.json: broken JSON")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_place_that_cannot_be_written_is_one_line(cli, registry, tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert_refused(cli("index", registry, tmp_path / "file" / "index"), str(tmp_path / "file"))


def test_killed_and_gone_on_with(cli, registry, index, tmp_path, monkeypatch):
    """Killed when its tokens are read: what is left is not read as an index, and goes on."""
    save, read = ArrayWriter.save, building._read

    def killed_save(self, *useless, **state):
        save(self, *useless, **state)
        if "ids" in state:
            raise Killed

    with monkeypatch.context() as patch, raises(Killed):
        patch.setattr(ArrayWriter, "save", killed_save)
        cli("index", registry, tmp_path / "second")
    assert not (tmp_path / "second").exists()
    reads = []
    monkeypatch.setattr(building, "_read", lambda *args: (reads.append(args), read(*args)))
    assert cli("index", registry, tmp_path / "second").code == 0
    assert reads == [] and contents(tmp_path / "second") == contents(index)
    assert not (tmp_path / ".second.part").exists()


def test_killed_just_before_it_would_have_been_there(cli, registry, index, tmp_path):
    shutil.copytree(index, tmp_path / ".second.part")
    assert cli("index", registry, tmp_path / "second").code == 0
    assert contents(tmp_path / "second") == contents(index)


def test_a_process_that_is_killed(tmp_path):
    lines = json_lines(*({"id": n, "name": text} for n, text in enumerate(random_texts(900, 5))))
    source = lay(tmp_path / "many", {"cards.jsonl": lines})
    command = [sys.executable, "-c", MANY_STEPS, "index", str(source), str(tmp_path / "index")]
    journal = tmp_path / ".index.part" / ".isi.part" / JOURNAL
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while not journal.exists() and process.poll() is None:
            time.sleep(0.001)
        time.sleep(random.Random(2).uniform(0, 0.1))
        process.kill()
        assert process.stderr.read() == b""
    if not (tmp_path / "index").exists():
        subprocess.run(command, check=True, capture_output=True)
    Registry.build(source, tmp_path / "undisturbed")
    assert contents(tmp_path / "index") == contents(tmp_path / "undisturbed")


# --- what is no whole index ----------------------------------------------------------------------


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-8])


def changed(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 0xFF
    path.write_bytes(content)


def other_version(path: Path) -> None:
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "version": 1}))


def other_corpus(path: Path) -> None:
    path.write_text(json.dumps({"checksums": {"cards": "0" * 64}}))


def nested_deep(path: Path) -> None:
    path.write_text("[" * 100_000 + "]" * 100_000)


def piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


DAMAGES = [
    ("isi/postings.bin", changed, "postings.bin does not have its checksum"),
    ("isi/postings.bin", cut_short, "postings.bin is missing or does not have its size"),
    ("isi/manifest.json", other_version, "it is agent-discovery-isi version 1, not"),
    ("isi/manifest.json", cut_short, "manifest.json cannot be read"),
    ("isi/manifest.json", Path.unlink, "no finished index here (manifest.json is missing)"),
    ("cards.parquet", cut_short, "no whole cards file here"),
    ("cards.parquet", changed, "no whole cards file here"),
    ("cards.parquet", Path.unlink, "no whole cards file here"),
    ("corpus.json", Path.unlink, "no whole corpus.json here"),
    ("corpus.json", other_corpus, "it was made from another corpus"),
    ("corpus.json", nested_deep, "no whole corpus.json here"),
    ("corpus.json", piped, "no whole corpus.json here"),
    ("cards.parquet", piped, "no whole cards file here"),
    ("isi/manifest.json", piped, "no finished index here (manifest.json is missing)"),
    ("isi/postings.bin", piped, "postings.bin is missing or does not have its size"),
]


@mark.parametrize("command", ["search", "verify"])
@mark.parametrize(("name", "damage", "why"), DAMAGES)
def test_a_damaged_index_is_one_line(cli, index, command, name, damage, why):
    damage(index / name)
    arguments = [index] if command == "verify" else ["--registry", index, REQUEST]
    assert_refused(cli(command, *arguments), why)


def test_cards_of_another_registry(cli, index, tmp_path):
    """As many cards with other texts, which no checksum of their own file gives away."""
    others = [{**card, "description": f"other {card['id']}"} for card in CARDS]
    Registry.build(lay(tmp_path / "b", {"cards.jsonl": json_lines(*others)}), tmp_path / "other")
    shutil.copy(tmp_path / "other" / "cards.parquet", index / "cards.parquet")
    assert_refused(cli("search", "--registry", index, REQUEST), "are not those of the index")
    assert_refused(cli("verify", index), "cards.parquet does not have its digest")


def test_cards_more_than_the_index_has(cli, index, tmp_path):
    Registry.build(lay(tmp_path / "b", {"cards.jsonl": json_lines(CARDS[0])}), tmp_path / "other")
    shutil.copy(tmp_path / "other" / "cards.parquet", index / "cards.parquet")
    assert_refused(cli("search", "--registry", index, REQUEST), "not those of its index")


def other_columns(path: Path) -> None:
    pq.write_table(pa.table({"text": [1]}), path)


@mark.parametrize(
    "damage",
    [cut_short, Path.unlink, piped, other_columns, lambda path: path.write_bytes(b"")],
)
def test_queries_that_are_not_whole(cli, index, damage):
    assert cli("estimate-cost", "--registry", index).code == 0
    damage(index / "queries.parquet")
    assert_refused(cli("estimate-cost", "--registry", index), "no whole queries file here")
    assert cli("estimate-cost", "--registry", index, REQUEST).code == 0
    assert_refused(cli("verify", index), "no whole queries file here")


@mark.parametrize("bit", [1, 32, 128])
def test_every_changed_byte_of_the_queries_is_refused_or_changes_none(index, bit):
    registry, path = Registry.open(index), index / "queries.parquet"
    whole, queries = path.read_bytes(), registry.queries()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
        try:
            assert registry.queries() == queries
        except InputError as error:
            assert str(error).startswith(f"{path}: no whole queries file here")


@mark.parametrize("damage", [nested_deep, piped])
def test_a_corpus_that_cannot_be_read_is_one_line(cli, index, tmp_path, damage):
    (tmp_path / "corpus.json").touch()
    damage(tmp_path / "corpus.json")
    ended = cli("verify", index, "--corpus", tmp_path / "corpus.json")
    assert_refused(ended, "no whole corpus.json here")


def test_an_index_is_verified_against_a_corpus(cli, index, tmp_path):
    assert cli("verify", index, "--corpus", index / "corpus.json").code == 0
    (tmp_path / "corpus.json").write_text(json.dumps({"checksums": {"cards": "b1"}}))
    ended = cli("verify", index, "--corpus", tmp_path / "corpus.json")
    assert_refused(ended, "it was made from another corpus")


def test_what_is_no_index_at_all(tmp_path):
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "missing"):
        assert "no index here: make one with" in refusal(Registry.open, tmp_path / folder)
