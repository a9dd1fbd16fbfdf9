"""`files:DIR`: whatever is wrong is one InputError that names the place, and leaves nothing."""

import errno
import os
from pathlib import Path

from command import assert_refused as assert_clean_refusal
from command import process
from corpus_files import json_lines, lay, refusal
from pytest import MonkeyPatch, mark, param

from agent_discovery.corpora import load_corpus
from agent_discovery.corpora.corpus import write_corpus

CARD = {"name": "n"}
T = {"name": "t"}
BOTH = {"name": "n", "skills": [{"name": "s"}], "tools": [T]}
TWO_CARDS = json_lines({"id": "a", "name": "A"}, {"id": "b", "name": "B"})
ABSENT_NAMES = ["none", "none.json", "nul\0byte", "line\nbreak", "\udcff"]
QUERY = json_lines({"id": "q", "text": "t"})


def write(folder: Path, level: str = "auto", name: str = "") -> None:
    """Load a registry and write it as a corpus beside it."""
    write_corpus(load_corpus(f"files:{folder / name}", level), folder / ".out")


def assert_refused(folder: Path, place: str, why: str, level: str = "auto") -> None:
    """Refused for this reason at this place, and no file that could be taken for a corpus."""
    message = refusal(write, folder, level)
    assert message.startswith(f"{folder / place}") and why in message
    assert list(folder.glob(".out/**/*")) == []


BROKEN_VALUES = [
    ("", "broken JSON"),
    ('{"name": "a"', "line 1, column 13"),
    ('{"name": "a"} x', "broken JSON"),
    param("[" * 100_000 + "]" * 100_000, "nested too deep", id="deep lists"),
    param('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deep", id="deep objects"),
    param('{"name": "n", "id": %s}' % ("9" * 5_000), "broken JSON", id="huge integer"),
    (r'{"name": "n", "description": "x\ud800y"}', "surrogate"),
    (r'{"name": "n", "id": "\uDFFF"}', "surrogate"),
    (r'{"name": "n", "url": "\udc00\ud800"}', "surrogate"),
    (r'{"\uD83D": 1, "name": "n"}', "surrogate"),
]
WRONG_CARDS = [
    ("null", "found NoneType"),
    ("17", "found int"),
    ('"text"', "found str"),
    ("{}", "has no name"),
    ({"name": ""}, "has no name"),
    ({"name": " \n"}, "has no name"),
    ({"name": None, "text": "t"}, "has no name"),
    ({"description": "d"}, "has no name"),
    ({"tools": []}, "has no name"),
    ({"name": " ", "tools": [{"name": "t"}]}, "has no name"),
    ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601}}, "has no name"),
    ({"name": 5}, "name must be text, not int"),
    ({"name": ["n"]}, "name must be text, not list"),
    ('{"name": NaN}', "name must be text, not float"),
    ({"name": "n", "description": {}}, "description must be text, not dict"),
    ({"text": 5}, "text must be text, not int"),
    ({"name": "n", "tags": "a, b"}, "tags must be a list, not str"),
    ({"name": "n", "tags": ["a", 1]}, "tags[1] must be text, not int"),
    ({"name": "n", "skills": {}}, "skills must be a list, not dict"),
    ({"name": "n", "skills": [{"name": "s"}, "t"]}, "skills[1] must be an object, not str"),
    ({"name": "n", "tools": [{"description": "d"}]}, "tools[0] has no name"),
    ({"name": "n", "tools": [{"name": 1}]}, "tools[0].name must be text, not int"),
    ({"name": "n", "skills": [{"name": "s", "tags": "x"}]}, "skills[0].tags must be a list"),
    ({"name": "n", "skills": [{"name": "s", "examples": [None]}]}, "skills[0].examples[0] must"),
    ({"name": "n", "id": ["x"]}, "id must be text, not list"),
    ({"name": "n", "id": True}, "id must be text, not bool"),
    ({"name": "n", "id": " "}, "id must be text, not blank"),
    ('{"name": "n", "id": -Infinity}', "id must be text, not float"),
    ({"name": "n", "skills": {}, "tools": [{"name": "t"}]}, "skills must be a list, not dict"),
    # Of two, one would be dropped.
    ('{"id": "d", "name": "n", "id": "e"}', "the key 'id' is twice in one object: keep one"),
    ('{"name": "n", "skills": [], "skills": [{"name": "s"}]}', "the key 'skills' is twice"),
    ('{"name": "n", "x": [{"\\n": {"a": 1, "\\u0061": 2}}]}', "the key 'a' is twice"),
    (BOTH, "has both skills and tools: keep one"),
    ({"card": BOTH}, "has both skills and tools: keep one"),
    ({"server": CARD, "tools": [], "card": {"name": "m"}}, "has both card and server: keep one"),
    ({"server": {"name": "n", "tools": [T]}, "tools": [{"name": "u"}]}, "has tools beside its"),
    ({"servers": [CARD], "tools": [{"name": "t"}]}, "has both servers and tools: keep one"),
    ({"id": "p", "text": "t", "tools": [{"name": "t"}]}, "has text, as a passage has, and tools"),
]


@mark.parametrize(("content", "why"), BROKEN_VALUES + WRONG_CARDS)
def test_a_broken_card_file_is_named(tmp_path, content, why):
    lay(tmp_path, {"good.json": CARD, "sub/bad.json": content})
    assert_refused(tmp_path, "sub/bad.json: ", why)


@mark.parametrize("content", [b'{\n\n"name": "\xff"}\n', '{"\n\n'.encode("utf-16-le") + b"\xff"])
def test_a_card_file_that_is_not_utf8_is_named(tmp_path, content):
    lay(tmp_path, {"bad.json": content})
    assert_refused(tmp_path, "bad.json:3: ", "not UTF-8")


@mark.parametrize(
    ("line", "why"),
    [
        (r'{"id": "a", "name": "\ud800"}', "surrogate"),
        ('{"id": "a" "name"}', "broken JSON"),
        param("[" * 100_000, "nested too deep", id="deep"),
        ('{"id": "a"}', "has no name"),
        ('{"id": "first", "name": "other"}', "id 'first' is already in"),
        ('{"name": "x", "id": "first"}', "the same card is already in"),
    ],
)
def test_a_broken_card_line_is_named(tmp_path, line, why):
    lay(tmp_path, {"cards.jsonl": f'\ufeff{{"id": "first", "name": "x"}}\r\n\r\n{line}\r\n'})
    assert_refused(tmp_path, "cards.jsonl:3: ", why)


@mark.parametrize(
    ("entries", "why"),
    [
        ([CARD, 5], "found int"),
        ({"servers": [{"server": CARD}, {"server": {"name": 1}}]}, "name must be text"),
        ([{"id": "a", "name": "1st"}, {"id": "a", "name": "2nd"}], "id 'a' is already in"),
        ([CARD, CARD], "the same card is already in"),
    ],
)
def test_a_broken_entry_of_a_list_is_named(tmp_path, entries, why):
    lay(tmp_path, {"list.json": entries})
    assert_refused(tmp_path, "list.json, entry 2: ", why)


def test_the_same_card_in_two_files_is_refused(tmp_path):
    lay(tmp_path, {"a.json": '{"name": "n", "tags": []}', "b.json": '[{"tags": [], "name": "n"}]'})
    assert_refused(tmp_path, "b.json: ", f"the same card is already in {tmp_path / 'a.json'}")


def test_an_id_in_two_files_is_refused(tmp_path):
    lay(tmp_path, {"a.json": {"id": "b", "name": "one"}, "b.json": {"name": "two"}})
    assert_refused(tmp_path, "b.json: ", f"id 'b' is already in {tmp_path / 'a.json'}")


def test_two_tools_of_one_server_may_not_share_a_name(tmp_path):
    tools = [{"name": "t", "description": "1"}, {"name": "t", "description": "2"}]
    lay(tmp_path, {"s.json": {"name": "s", "tools": tools}})
    assert_refused(tmp_path, "s.json: ", "id 's::t' is already in")
    assert load_corpus(f"files:{tmp_path}", "agent").total == 1


def test_bare_tools_cannot_be_an_agent(tmp_path):
    lay(tmp_path, {"t.json": [{"name": "t", "inputSchema": {}}]})
    assert_refused(tmp_path, "t.json: ", "has no name", level="agent")


@mark.parametrize(
    ("content", "place", "why"),
    [
        ("{", ":1: ", "broken JSON"),
        (b'{"id": "q", "text": "t"}\n\xff\n', ":2: ", "not UTF-8"),
        (r'{"id": "q", "text": "\ud800"}', ":1: ", "surrogate"),
        (r'{"id": "\udfff", "text": "t"}', ":1: ", "surrogate"),
        ("[1]", ":1: ", "must be an object"),
        ('{"text": "t"}', ":1: ", "must have 'id' and 'text'"),
        ('{"id": "q"}', ":1: ", "must have 'id' and 'text'"),
        ('{"id": "", "text": "t"}', ":1: ", "must have 'id' and 'text'"),
        ('{"id": true, "text": "t"}', ":1: ", "must have 'id' and 'text'"),
        ('{"id": 1.5, "text": "t"}', ":1: ", "must have 'id' and 'text'"),
        ('{"id": "q", "text": ["t"]}', ":1: ", "must have 'id' and 'text'"),
        ('{"id": "q", "text": "t", "steps": "s"}', ":1: ", "'steps' must be a list"),
        ('{"id": "q", "text": "t", "id": "r"}', ":1: ", "the key 'id' is twice"),
        ('{"id": "q", "text": "t", "steps": [1]}', ":1: ", "'steps' must be a list"),
        ('{"id": 1, "text": "t"}\n\n{"qid": "1", "text": "u"}', ":3: ", "'1' is there twice"),
    ],
)
def test_broken_queries_are_named(tmp_path, content, place, why):
    lay(tmp_path, {"cards.jsonl": TWO_CARDS, "queries.jsonl": content})
    assert_refused(tmp_path, f"queries.jsonl{place}", why)


@mark.parametrize(
    ("content", "place", "why"),
    [
        ("q\t0\ta", ":1: ", "expected 4 columns"),
        ("q\t0\ta\t1\t2", ":1: ", "expected 4 columns"),
        ("q 0 a 1", ":1: ", "expected 4 columns"),
        ("q\t0\ta\t1.5", ":1: ", "must be an integer, not '1.5'"),
        ("q\t0\ta\t", ":1: ", "must be an integer, not ''"),
        ("q\t0\ta\tNaN", ":1: ", "must be an integer"),
        param("q\t0\ta\t" + "9" * 5_000, ":1: ", "must be an integer", id="huge integer"),
        ("q\t0\ta\t2147483648", ":1: ", "does not fit 32 bits"),
        ("q\t0\ta\t-2147483649", ":1: ", "does not fit 32 bits"),
        ("q\t0\ta\t1\n\nq\t0\ta\t1", ":3: ", "judged twice"),
        (b"q\t0\ta\t1\nq\t0\tb\xff\t1", ":2: ", "not UTF-8"),
    ],
)
def test_broken_judgments_are_named(tmp_path, content, place, why):
    lay(tmp_path, {"cards.jsonl": TWO_CARDS, "queries.jsonl": QUERY, "qrels.tsv": content})
    message = refusal(write, tmp_path)
    assert len(message) < 500  # a huge value is not quoted whole
    assert_refused(tmp_path, f"qrels.tsv{place}", why)


@mark.parametrize(
    ("qrels", "queries", "why"),
    [
        ("q\t0\ta\t1\nq\t0\tc\t1\n", QUERY, "(q, c) is for a card that is not there"),
        ("q\t0\ta\t1\nr\t0\ta\t1\n", QUERY, "(r, a) is for a query that is not there"),
        ("q\t0\ta\t1\n", None, "(q, a) is for a query that is not there"),
    ],
)
def test_judgments_for_what_is_not_there_leave_nothing(tmp_path, qrels, queries, why):
    files = {"cards.jsonl": TWO_CARDS, "qrels.tsv": qrels, "queries.jsonl": queries}
    lay(tmp_path, {name: content for name, content in files.items() if content is not None})
    message = refusal(write, tmp_path)
    assert message.startswith(f"files:{tmp_path}: ") and why in message
    assert list(tmp_path.glob(".out/**/*")) == []


@mark.parametrize("files", [{}, {"notes.txt": "x"}, {"queries.jsonl": QUERY, "qrels.tsv": ""}])
def test_a_folder_without_cards_is_refused(tmp_path, files):
    assert f"files:{tmp_path}: no cards here" in refusal(write, lay(tmp_path, files))


@mark.parametrize("content", ["[]", '{"servers": []}'])
def test_lists_without_a_card_are_refused(tmp_path, content):
    assert f"files:{tmp_path}: there is no card" in refusal(
        write, lay(tmp_path, {"a.json": content})
    )
    assert list(tmp_path.glob(".out/**/*")) == []


@mark.parametrize("name", [*ABSENT_NAMES, param("x" * 5_000, id="long")])
def test_a_path_that_is_not_there_is_refused(tmp_path, name):
    assert "there is no such folder or file" in refusal(write, tmp_path, "auto", name)


@mark.parametrize("name", ["cards.txt", "queries.jsonl"])
def test_a_single_file_that_holds_no_cards_is_refused(tmp_path, name):
    lay(tmp_path, {name: TWO_CARDS})
    assert "no cards here" in refusal(write, tmp_path, "auto", name)


def test_a_dead_link_is_not_passed_over(tmp_path):
    lay(tmp_path, {"a.json": CARD})
    (tmp_path / "b.json").symlink_to(tmp_path / "gone.json")
    assert_refused(tmp_path, "b.json: ", "cannot be read")


@mark.parametrize("target", [".", "sub", "../elsewhere"])
def test_a_linked_folder_is_not_passed_over(tmp_path, target):
    """It may lead back into the registry, or out of it."""
    lay(tmp_path, {"registry/a.json": CARD, "elsewhere/b.json": {"name": "m"}})
    folder = lay(tmp_path / "registry", {"sub/c.json": {"name": "o"}, ".hidden/x.json": "{"})
    (folder / ".hidden" / "linked").symlink_to(tmp_path / "elsewhere")
    (folder / "sub" / "linked").symlink_to(folder / target)
    assert_refused(folder, "sub/linked: ", "is a link to a folder, which is not followed")
    (folder / "sub" / "linked").unlink()
    (tmp_path / "other").symlink_to(folder)
    assert load_corpus(f"files:{tmp_path / 'other'}").total == 2


@mark.parametrize("name", ["a.json", "a.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_pipe_is_refused_at_once(tmp_path, name):
    lay(tmp_path, {"cards.json": CARD})
    os.mkfifo(tmp_path / name)
    assert_refused(tmp_path, f"{name}: ", "no regular file")


def test_a_file_name_that_is_not_utf8_is_refused(tmp_path):
    with open(os.fsencode(tmp_path) + b"/\xff.json", "w", encoding="utf-8") as stream:
        stream.write('{"id": "i", "name": "n"}')
    message = refusal(write, tmp_path)
    assert message.startswith(f"{tmp_path}/\\udcff.json: ") and "not UTF-8" in message


def test_a_file_name_that_the_locale_cannot_tell_is_not_called_wrong(tmp_path):
    lay(tmp_path, {"caf\u00e9.json": CARD})
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ended = process("search", "--registry", tmp_path, "n", **locale)
    assert_clean_refusal(ended, "name needs a UTF-8 locale: set PYTHONUTF8=1")
    ended = process("search", "--registry", tmp_path, "n", **{**locale, "PYTHONUTF8": "1"})
    assert ended.code == 1


@mark.parametrize("reader", ["pathlib.Path.read_bytes", "os.scandir"])
def test_what_may_not_be_read_is_not_passed_over(tmp_path, monkeypatch: MonkeyPatch, reader):
    # By hand, because an administrator may read everything.
    def forbidden(path):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))

    lay(tmp_path, {"a.json": CARD})
    monkeypatch.setattr(reader, forbidden)
    message = refusal(load_corpus, f"files:{tmp_path}")
    assert str(tmp_path) in message and "cannot be read (Permission denied)" in message
