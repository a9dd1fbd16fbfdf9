"""`agent-discovery search` as a user runs it: in a process of its own, on a small folder."""

import json
import os
import subprocess
import sys
from pathlib import Path

from corpus_files import json_lines, lay
from pytest import approx, fixture, mark, param

REQUEST = "convert a document to PDF"
PRINTER = {
    "name": "Printer",
    "description": "Convert any document to PDF.",
    "skills": [{"id": "s", "name": "print", "description": "prints a document", "tags": ["pdf"]}],
}
CARDS = {
    "printer.json": PRINTER,
    "weather.json": {"name": "Weather", "description": "Tells the weather of a city."},
    "more/lines.jsonl": json_lines({"id": "scan", "name": "Scanner", "description": "Document."}),
}


def search(
    registry: Path | str, temporary: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess:
    """Run the command to its end; whatever it answers, its temporary folder is left empty."""
    temporary.mkdir(exist_ok=True)
    ended = subprocess.run(
        [sys.executable, "-m", "agent_discovery.cli", "search", "--registry", registry, *arguments],
        env={
            **os.environ,
            "TMPDIR": str(temporary),
            "PYTHONWARNINGS": "error::ResourceWarning",
            **environment,
        },
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert list(temporary.iterdir()) == []
    assert "Traceback" not in ended.stderr
    return ended


@fixture
def temporary(tmp_path) -> Path:
    return tmp_path / "temporary"


@fixture
def registry(tmp_path) -> Path:
    return lay(tmp_path / "registry", CARDS)


def test_text_output(registry, temporary):
    ended = search(registry, temporary, REQUEST, "-k", "2")
    assert (ended.returncode, ended.stderr) == (0, "")
    first, description, why, *rest = ended.stdout.splitlines()
    rank, score, card = first.split()
    assert (rank, card) == ("1.", "printer") and float(score) > 0
    assert description.strip() == "Convert any document to PDF."
    assert why.strip().startswith("why: ")
    # Found in the name, the description and the skill; df is 1 of 3 cards: ln(4 / 2) + 1 = 1.69.
    assert "pdf 1.69 (description, skills[0].tags)" in why
    assert rest[0].split()[::2] == ["2.", "scan"] and len(rest) == 3


def test_json_output_is_one_object_a_line(registry, temporary):
    ended = search(registry, temporary, REQUEST, "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    printer, scan = map(json.loads, ended.stdout.splitlines())
    assert {key: printer[key] for key in ("rank", "id", "name", "description", "kind")} == {
        "rank": 1,
        "id": "printer",
        "name": "Printer",
        "description": "Convert any document to PDF.",
        "kind": "agent",
    }
    assert (scan["rank"], scan["id"]) == (2, "scan")
    for hit in (printer, scan):
        assert hit["score"] == approx(sum(signal["idf"] for signal in hit["evidence"]))
    (only,) = scan["evidence"]
    # "document" is in two of three cards: ln(4 / 3) + 1.
    assert only == {"signal": "document", "idf": approx(1.287682), "fields": ["description"]}


def test_the_card_level_is_passed_on(registry, temporary):
    ended = search(registry, temporary, REQUEST, "--json", "--card-level", "tool")
    assert json.loads(ended.stdout.splitlines()[0])["id"] == "printer::print"


def test_an_mcp_tools_manifest(tmp_path, temporary):
    tool = {"name": "to_pdf", "description": "Document to PDF", "inputSchema": {"type": "object"}}
    other = {"name": "rain", "description": "Rain today", "inputSchema": {}}
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool, other]}}
    path = lay(tmp_path, {"tools.json": answer}) / "tools.json"
    ended = search(path, temporary, REQUEST, "--json")
    (hit,) = map(json.loads, ended.stdout.splitlines())
    assert (hit["id"], hit["name"], hit["kind"]) == ("tools::to_pdf", "to_pdf", "tool")


@mark.parametrize(
    ("request_text", "why"),
    [
        ("Would you do it for the, a, x?", ": it has stopwords and single characters only"),
        ("quantum chromodynamics", ""),
        ("", ": it has stopwords and single characters only"),
    ],
)
def test_a_request_that_finds_nothing_says_so(registry, temporary, request_text, why):
    ended = search(registry, temporary, request_text)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr == f"no card of 3 shares a signal with the request{why}\n"


BROKEN = [
    param({}, "nowhere/", "is not known", id="missing"),
    param({"a.json": '{"name": "a"'}, "", "a.json: broken JSON", id="broken JSON"),
    param({"a.json": {"description": "d"}}, "", "a.json: has no name", id="no name"),
    param({"a.jsonl": '{"id": 1, "name": "a"}\n' * 2}, "", "is already in", id="same card twice"),
    param(
        {"a.json": {"id": "x", "name": "a"}, "b.json": {"id": "x", "name": "b"}},
        "",
        "b.json: id 'x' is already in",
        id="id twice",
    ),
    param({"readme.txt": "no cards"}, "", "no cards here", id="no cards"),
]


@mark.parametrize(("files", "path", "why"), BROKEN)
def test_bad_input_is_one_line_and_exit_code_2(tmp_path, temporary, files, path, why):
    (tmp_path / "registry").mkdir()
    ended = search(lay(tmp_path / "registry", files) / path, temporary, REQUEST)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith("agent-discovery: error: ") and why in ended.stderr
    assert ended.stderr.count("\n") == 1 and ended.stderr.endswith("\n")


@mark.parametrize("k", ["0", "-3"])
def test_k_must_be_positive_and_is_looked_at_first(temporary, k):
    ended = search("nowhere/", temporary, REQUEST, "-k", k)
    assert ended.returncode == 2
    assert ended.stderr == f"agent-discovery: error: k must be at least 1, not {k}\n"


ESCAPES = "\x1b[2J\x1b]0;title\x07 two\nlines\r \u202eright-to-left\u2066 \u200bzero\x9b31m"


def test_nothing_in_a_card_steers_the_terminal(tmp_path, temporary):
    card = {"id": f"id {ESCAPES}", "name": ESCAPES, "description": f"document {ESCAPES}"}
    registry = lay(tmp_path / "registry", {"evil.json": card})
    for form in ([], ["--json"]):
        ended = search(registry, temporary, REQUEST, *form)
        assert ended.returncode == 0 and "right-to-left" in ended.stdout
        assert all(char.isprintable() for char in ended.stdout.replace("\n", ""))
        assert ended.stdout.count("\n") == (1 if form else 3)
    assert json.loads(ended.stdout)["id"] == card["id"]


def test_nor_does_it_from_an_error_message(tmp_path, temporary):
    files = {"a.json": {"id": ESCAPES, "name": "a"}, "b.json": {"id": ESCAPES, "name": "b"}}
    ended = search(lay(tmp_path / "registry", files), temporary, REQUEST)
    assert ended.returncode == 2 and "right-to-left" in ended.stderr
    assert ended.stderr.removesuffix("\n").isprintable()


def test_a_terminal_that_knows_ascii_only(tmp_path, temporary):
    text = "document über " + "long " * 50
    registry = lay(tmp_path / "registry", {"a.json": {"name": "é", "description": text}})
    ended = search(registry, temporary, REQUEST, PYTHONIOENCODING="ascii")
    assert ended.returncode == 0
    assert r"\xfcber" in ended.stdout and r"\u2026" in ended.stdout


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path, temporary):
    """As with `| head -1`: the pipe is closed before the command writes."""
    temporary.mkdir()
    lines = json_lines(*({"id": n, "name": f"document {n}"} for n in range(2000)))
    registry = lay(tmp_path / "registry", {"a.jsonl": lines})
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "agent_discovery.cli", "search", "--registry", registry]
    ended = subprocess.run(
        [*command, REQUEST, "-k", "2000"],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=write,
        stderr=subprocess.PIPE,
    )
    os.close(write)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert list(temporary.iterdir()) == []


def test_help_shows_an_example(temporary):
    ended = search("unused", temporary, "--help")
    assert ended.returncode == 0
    assert 'agent-discovery search --registry my_registry/ "convert a Word' in ended.stdout
    assert "numba" not in ended.stderr


@mark.parametrize("arguments", [[], [REQUEST, "-k", "many"], [REQUEST, "--card-level", "x"]])
def test_wrong_usage_is_exit_code_2(temporary, arguments):
    ended = search("unused", temporary, *arguments)
    assert ended.returncode == 2 and ended.stdout == ""
    assert "error: " in ended.stderr.splitlines()[-1]
