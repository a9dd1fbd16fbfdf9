"""The bundled sets: what DESIGN says of them, and that a changed file is refused."""

import csv
import hashlib
import shutil
from collections import Counter
from pathlib import Path

from corpus_files import refusal
from pytest import MonkeyPatch, approx, fixture, mark

from agent_discovery.cards import Field
from agent_discovery.corpora import load_corpus
from agent_discovery.corpora.bundled import DATA_VARIABLE, bundled_names, data_root
from agent_discovery.corpora.corpus import Corpus
from agent_discovery.corpora.manifest_file import manifest_text

LEVELS = ("auto", "agent", "tool")

# Counted in the files themselves: tools, plus agents that have none but are described; agents;
# queries; judgments of tools; judgments of agents.
SETS = {
    "livemcpbench": (527, 70, 95, 255, 151),
    "stabletoolbench": (2490, 814, 765, 1795, 1096),
    "toolalpaca": (94 + 1392, 1413, 214, 243, 214),
    "mcpproxy_golden": (45, 7, 47, 74, 59),
    "docker_mcp_registry": (755 + 241, 269, 0, 0, 0),
    "a2a_cards": (147, 35, 0, 0, 0),
    "mcp_registry_seed": (392, 392, 0, 0, 0),
    "metatool_toole": (199, 199, 2487, 2984, 2984),
    "bfcl_pooled": (1418, 1418, 1253, 6104, 6104),
    "apibench": (1588, 1588, 1780, 1781, 1781),
}


@fixture(scope="module")
def toolpool() -> Corpus:
    return load_corpus("toolpool")


@fixture
def data_copy(tmp_path: Path, monkeypatch: MonkeyPatch) -> Path:
    """A copy of data/ that the loaders read instead."""
    copy = tmp_path / "data"
    shutil.copytree(data_root(), copy)
    monkeypatch.setenv(DATA_VARIABLE, str(copy))
    return copy


def test_toolpool_is_as_large_as_the_design_says(toolpool):
    judged = [judgment for judgment in toolpool.qrels if judgment.grade > 0]
    assert toolpool.total == len(toolpool.cards) == 9_288
    assert len({judgment.qid for judgment in judged}) == 6_636
    assert len(judged) / 6_636 == approx(1.99, abs=0.005)


def test_toolpool_holds_every_set(toolpool):
    tools = {name: counts[0] for name, counts in SETS.items()}
    assert Counter(card.source for card in toolpool.cards) == tools
    queries = {name: counts[2] for name, counts in SETS.items() if counts[2]}
    assert Counter(query.source for query in toolpool.queries) == queries


def test_ids_are_set_agent_tool_sorted_and_unique(toolpool):
    ids = [card.id for card in toolpool.cards]
    assert ids == sorted(set(ids))
    for card in toolpool.cards:
        assert card.id.startswith(f"{card.source}/")
        if card.parent is not None:
            assert card.id == f"{card.parent}::{card.name}"
            assert card.parent.startswith(f"{card.source}/")


def test_kinds_tell_tools_from_agents_without_tools(toolpool):
    agents = Counter(card.source for card in toolpool.cards if card.kind == "agent")
    assert agents == {"toolalpaca": 1392, "docker_mcp_registry": 241, "mcp_registry_seed": 392}
    assert {card.kind for card in toolpool.cards} == {"agent", "tool"}


def test_fields_are_parent_name_own_name_and_description(toolpool):
    order = ["parent.name", "name", "description"]
    for card in toolpool.cards:
        names = [field.field for field in card.fields]
        assert names == [name for name in order if name in names]
        assert "name" in names
        assert ("parent.name" in names) == (card.parent is not None)


def test_a_card_reads_as_in_its_file(toolpool):
    card = next(card for card in toolpool.cards if card.id == "toolalpaca/Axolotl::getAxolotlFacts")
    description = (
        "Retrieve interesting facts about axolotls such as their habits, habitats, and physical "
        "characteristics."
    )
    assert card.fields == (
        Field("parent.name", "Axolotl"),
        Field("name", "getAxolotlFacts"),
        Field("description", description),
    )
    assert card[1:3] == ("getAxolotlFacts", description)
    assert card.text == f"Axolotl getAxolotlFacts {description}"


def test_an_agent_card_is_read_whole_at_agent_level():
    cards = {card.id: card for card in load_corpus("a2a_cards", "agent").cards}
    fields = dict(cards["a2a_cards/a2aregistry/a2abench"].fields)
    assert list(fields)[:3] == ["name", "description", "skills[0].name"]
    assert fields["skills[0].tags"] == "qna search developer stackoverflow"
    examples = "Search for prisma migration errors Find answers about Fastify swagger"
    assert fields["skills[0].examples"] == examples


def test_queries_and_judgments_keep_the_order_of_their_files(toolpool):
    # The first lines of data/livemcpbench/qrels_tools.tsv, the first set.
    assert [judgment[:2] for judgment in toolpool.qrels[:3]] == [
        ("livemcpbench/q000", "livemcpbench/trends-hub::get-weread-rank"),
        ("livemcpbench/q000", "livemcpbench/mcp-server-chart::generate_word_cloud_chart"),
        ("livemcpbench/q000", "livemcpbench/word-document-server::create_document"),
    ]
    first = toolpool.queries[0]
    assert first.qid == "livemcpbench/q000"
    assert len(first.steps) == 5 and first.steps[2] == "Create a word document."


def test_toolpool_says_that_unjudged_cards_may_fit(toolpool):
    assert len(toolpool.notes) == 1 and "unjudged" in toolpool.notes[0]


def test_every_bundled_set_is_tested():
    assert bundled_names() == ["toolpool", *SETS]


@mark.parametrize("level", LEVELS)
@mark.parametrize("name", ["toolpool", *SETS])
def test_judgments_fit_the_cards_of_every_level(name, level):
    corpus = load_corpus(name, level)
    ids = {card.id for card in corpus.cards}
    qids = {query.qid for query in corpus.queries}
    assert len(ids) == len(corpus.cards) and len(qids) == len(corpus.queries)
    assert {judgment.id for judgment in corpus.qrels} <= ids
    assert {judgment.qid for judgment in corpus.qrels} <= qids
    if name in SETS:
        tools, agents, queries, tool_judgments, agent_judgments = SETS[name]
        assert len(corpus.queries) == queries
        expected = (agents, agent_judgments) if level == "agent" else (tools, tool_judgments)
        assert (len(corpus.cards), len(corpus.qrels)) == expected


def test_the_manifest_is_what_its_maker_makes():
    root = data_root()
    text = (root / "manifest.csv").read_bytes().decode()
    assert text == manifest_text(root)
    rows = list(csv.DictReader(text.splitlines()))
    for row in rows:
        content = (root / row["path"]).read_bytes()
        assert row["sha256"] == hashlib.sha256(content).hexdigest()
        assert int(row["bytes"]) == len(content)
    assert {row["licence"] for row in rows} <= {"Apache-2.0", "MIT", "Apache-2.0 AND MIT"}


def test_checksums_are_those_of_the_files_read():
    read = ("agents.jsonl", "queries.jsonl", "qrels.tsv")
    files = {f"toolalpaca/{name}": data_root() / "toolalpaca" / name for name in read}
    assert load_corpus("toolalpaca", "agent").checksums == {
        name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()
    }


@mark.parametrize("file", ["agents.jsonl", "queries.jsonl", "qrels_tools.tsv"])
@mark.parametrize("name", ["toolpool", "toolalpaca"])
def test_a_changed_byte_is_refused(data_copy, name, file):
    path = data_copy / "toolalpaca" / file
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    message = refusal(load_corpus, name)
    assert str(path) in message and "checksum" in message
    assert load_corpus("livemcpbench").total == 527  # a set that is whole still loads


def test_a_missing_file_is_refused(data_copy):
    path = data_copy / "bfcl_pooled" / "qrels.tsv"
    path.unlink()
    message = refusal(load_corpus, "toolpool")
    assert str(path) in message and "missing" in message


def test_a_file_that_the_manifest_does_not_name_is_refused(data_copy):
    manifest = data_copy / "manifest.csv"
    lines = manifest.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith("apibench/docs.jsonl,")]
    assert len(kept) == len(lines) - 1
    manifest.write_text("".join(kept), encoding="utf-8")
    assert str(data_copy / "apibench" / "docs.jsonl") in refusal(load_corpus, "apibench")


@mark.parametrize("content", [b"", b"file,hash\nx,y\n", b"path\n", b"\xff\xfe", b"path,bytes\nx"])
def test_a_broken_manifest_is_refused(data_copy, content):
    manifest = data_copy / "manifest.csv"
    manifest.write_bytes(content)
    assert str(manifest) in refusal(load_corpus, "toolpool")


def test_data_that_is_not_there_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    message = refusal(load_corpus, "toolpool")
    assert str(tmp_path) in message and DATA_VARIABLE in message
