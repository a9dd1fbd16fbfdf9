"""`agent-discovery search` as a user runs it, on a small folder."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from command import COMMAND, Ended, assert_refused, process
from corpus_files import json_lines, lay
from pytest import approx, fixture, mark, param

from agent_discovery import Registry

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


@fixture
def registry(tmp_path) -> Path:
    return lay(tmp_path / "registry", CARDS)


@fixture
def search(cli) -> Callable[..., Ended]:
    """Search a registry: `search(registry, query, ...)`."""
    return lambda registry, *arguments: cli("search", "--registry", registry, *arguments)


def test_text_output(registry, search):
    ended = search(registry, REQUEST, "-k", "2")
    assert (ended.code, ended.err) == (0, "")
    first, description, why, *rest = ended.out.splitlines()
    rank, score, card = first.split()
    assert (rank, card) == ("1.", "printer") and float(score) > 0
    assert description.strip() == "Convert any document to PDF."
    assert why.strip().startswith("why: ")
    # Found in the name, the description and the skill; df is 1 of 3 cards: ln(4 / 2) + 1 = 1.69.
    assert "pdf 1.69 (description, skills[0].tags)" in why
    assert rest[0].split()[::2] == ["2.", "scan"] and len(rest) == 3


def test_json_output_is_one_object_a_line(registry, search):
    ended = search(registry, REQUEST, "--json")
    assert (ended.code, ended.err) == (0, "")
    printer, scan = map(json.loads, ended.out.splitlines())
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


def test_json_lines_are_the_hits_of_python(registry, search):
    lines = search(registry, REQUEST, "--json").out.splitlines()
    hits = Registry.load(registry).search(REQUEST)
    plain = [{**hit._asdict(), "evidence": [one._asdict() for one in hit.evidence]} for hit in hits]
    # Tuples are lists in JSON.
    assert [json.loads(line) for line in lines] == json.loads(json.dumps(plain))


def test_more_than_there_is_gives_all_candidates(registry, search):
    ended = search(registry, REQUEST, "-k", "1000", "--json")
    assert [json.loads(line)["id"] for line in ended.out.splitlines()] == ["printer", "scan"]


def test_the_card_level_is_passed_on(registry, search):
    ended = search(registry, REQUEST, "--json", "--card-level", "tool")
    assert json.loads(ended.out.splitlines()[0])["id"] == "printer::print"


def test_an_mcp_tools_manifest(tmp_path, search):
    tool = {"name": "to_pdf", "description": "Document to PDF", "inputSchema": {"type": "object"}}
    other = {"name": "rain", "description": "Rain today", "inputSchema": {}}
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool, other]}}
    path = lay(tmp_path, {"tools.json": answer}) / "tools.json"
    ended = search(path, REQUEST, "--json")
    (hit,) = map(json.loads, ended.out.splitlines())
    assert (hit["id"], hit["name"], hit["kind"]) == ("tools::to_pdf", "to_pdf", "tool")


@mark.parametrize(
    ("request_text", "why"),
    [
        ("Would you do it for the, a, x?", ": it has stopwords and single characters only"),
        ("quantum chromodynamics", ""),
        ("", ": it has stopwords and single characters only"),
    ],
)
def test_a_request_that_finds_nothing_says_so(registry, search, request_text, why):
    ended = search(registry, request_text)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == f"no card of 3 shares a signal with the request{why}\n"


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
    param({}, "", "no cards here", id="empty folder"),
]


@mark.parametrize(("files", "path", "why"), BROKEN)
def test_bad_input_is_one_line_and_exit_code_2(tmp_path, search, files, path, why):
    (tmp_path / "registry").mkdir()
    assert_refused(search(lay(tmp_path / "registry", files) / path, REQUEST), why)


@mark.parametrize("k", ["0", "-3"])
def test_k_must_be_positive_and_is_looked_at_first(search, k):
    assert_refused(search("nowhere/", REQUEST, "-k", k), f"k must be at least 1, not {k}")


ESCAPES = "\x1b[2J\x1b]0;title\x07 two\nlines\r \u202eright-to-left\u2066 \u200bzero\x9b31m"


def test_nothing_in_a_card_steers_the_terminal(tmp_path, search):
    card = {"id": f"id {ESCAPES}", "name": ESCAPES, "description": f"document {ESCAPES}"}
    registry = lay(tmp_path / "registry", {"evil.json": card})
    for form in ([], ["--json"]):
        ended = search(registry, REQUEST, *form)
        assert ended.code == 0 and "right-to-left" in ended.out
        assert all(char.isprintable() for char in ended.out.replace("\n", ""))
        assert ended.out.count("\n") == (1 if form else 3)
    assert json.loads(ended.out)["id"] == card["id"]


def test_nor_does_it_from_an_error_message(tmp_path, search):
    files = {"a.json": {"id": ESCAPES, "name": "a"}, "b.json": {"id": ESCAPES, "name": "b"}}
    assert_refused(search(lay(tmp_path / "registry", files), REQUEST), "right-to-left")


def test_a_terminal_that_knows_ascii_only(tmp_path):
    text = "document über " + "long " * 50
    registry = lay(tmp_path / "registry", {"a.json": {"name": "é", "description": text}})
    ended = process("search", "--registry", registry, REQUEST, PYTHONIOENCODING="ascii")
    assert (ended.code, ended.err) == (0, "")
    assert r"\xfcber" in ended.out and r"\u2026" in ended.out


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path, temporary):
    """As with `| head -1`: the pipe is closed before the command writes."""
    lines = json_lines(*({"id": n, "name": f"document {n}"} for n in range(2000)))
    registry = lay(tmp_path / "registry", {"a.jsonl": lines})
    read, write = os.pipe()
    os.close(read)
    arguments = ["search", "--registry", registry, REQUEST, "-k", "2000"]
    ended = process(*arguments, stdout=write, TMPDIR=str(temporary))
    os.close(write)
    assert (ended.code, ended.err) == (0, "")
    assert list(temporary.iterdir()) == []


@mark.parametrize("unbuffered", ["", "1"])
def test_an_output_that_takes_nothing_is_one_line(tmp_path, unbuffered):
    registry = lay(tmp_path / "registry", {"a.json": {"name": "document"}})
    arguments = ["search", "--registry", registry, REQUEST]
    with open("/dev/full", "w") as full:
        ended = process(*arguments, stdout=full, PYTHONUNBUFFERED=unbuffered)
    assert_refused(ended, "No space left on device: make room")


def test_an_output_that_is_closed_is_no_error(tmp_path):
    registry = lay(tmp_path / "registry", {"a.json": {"name": "document"}})
    shell = ["bash", "-c", '"$@" >&-', "bash", *COMMAND, "search", "--registry", registry, REQUEST]
    ended = subprocess.run(shell, stderr=subprocess.PIPE)
    assert (ended.returncode, ended.stderr) == (0, b"")


@mark.parametrize("arguments", [[], [REQUEST, "-k", "many"], [REQUEST, "--card-level", "x"]])
def test_wrong_usage_is_exit_code_2(search, arguments):
    ended = search("unused", *arguments)
    assert ended.code == 2 and ended.out == ""
    assert "error: " in ended.err.splitlines()[-1]


@mark.parametrize(
    ("redirected", "query", "registry", "code"),
    [
        ("2>&-", REQUEST, "here", 0),
        ("2>&- >&- <&-", REQUEST, "here", 0),
        ("2>&-", "nothing", "here", 1),
        ("2>/dev/full", "nothing", "here", 1),
        ("2>&-", REQUEST, "nowhere", 2),
        ("2>/dev/full", REQUEST, "nowhere", 2),
        ("2>/dev/full >/dev/full", REQUEST, "here", 2),
        ("2>/dev/full -k many", REQUEST, "here", 2),
    ],
)
def test_the_exit_code_stands_where_standard_error_takes_nothing(
    tmp_path, redirected, query, registry, code
):
    lay(tmp_path / "here", {"a.json": {"name": "document"}})
    arguments = [*COMMAND, "search", query, "--registry", tmp_path / registry]
    shell = ["bash", "-c", f'"$@" {redirected}', "bash", *arguments]
    ended = subprocess.run(shell, stdout=subprocess.PIPE)
    assert ended.returncode == code
    assert bool(ended.stdout) == (redirected == "2>&-" and not code)


def test_no_file_gets_the_number_of_a_closed_stream():
    """What a library says there would stand in that file."""
    script = (
        "import sys\nfrom agent_discovery.cli import main\n"
        "try: main(['--version'])\nexcept SystemExit: pass\n"
        "sys.exit(open('/dev/null').fileno())"
    )
    shell = ["bash", "-c", '"$@" 2>&-', "bash", sys.executable, "-c", script]
    assert subprocess.run(shell, stdout=subprocess.PIPE).returncode > 2
