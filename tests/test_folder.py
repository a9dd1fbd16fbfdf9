"""`files:DIR`: every form of card that a registry of one's own may hold, as it is read."""

import json
from pathlib import Path

from corpus_files import json_lines, lay
from pytest import fixture, mark

from agent_discovery.cards import Card, Field
from agent_discovery.corpora import load_corpus
from agent_discovery.corpora.bundled import data_root
from agent_discovery.corpora.corpus import Corpus

TOOLS = [
    {"name": "read", "description": "Read a file", "inputSchema": {"type": "object"}},
    {"name": "write", "inputSchema": {"type": "object"}},
]
CARD = {
    "name": "Chef",
    "description": "Cooks",
    "tags": ["food", "kitchen"],
    "skills": [
        {"id": "s1", "name": "Bake", "description": "Bakes bread", "tags": ["oven"]},
        {"id": "s2", "name": "Fry", "examples": ["Fry an egg", "Fry fish"], "tags": []},
    ],
}
CHEF_FIELDS = [
    ("name", "Chef"),
    ("description", "Cooks"),
    ("tags", "food kitchen"),
    ("skills[0].name", "Bake"),
    ("skills[0].description", "Bakes bread"),
    ("skills[0].tags", "oven"),
    ("skills[1].name", "Fry"),
    ("skills[1].examples", "Fry an egg Fry fish"),
]


def loaded(folder: Path, level: str = "auto") -> list[Card]:
    """The cards of a registry."""
    return list(load_corpus(f"files:{folder}", level).cards)


def fields_of(cards: list[Card]) -> dict[str, list[tuple[str, str]]]:
    """Each card's fields by its id."""
    return {card.id: [tuple(field) for field in card.fields] for card in cards}


@fixture
def real_cards(tmp_path: Path) -> dict[str, dict]:
    """The bundled A2A Agent Cards by file stem, written out into tmp_path, one file each."""
    lines = (data_root() / "a2a_cards" / "agents.jsonl").read_text(encoding="utf-8").splitlines()
    cards = {f"card{number:02}": json.loads(line)["card"] for number, line in enumerate(lines)}
    lay(tmp_path, {f"{stem}.json": card for stem, card in cards.items()})
    return cards


@mark.parametrize("level", ["auto", "agent"])
def test_real_agent_cards_become_one_card_each(real_cards, tmp_path, level):
    cards = {card.id: card for card in loaded(tmp_path, level)}
    assert len(real_cards) == 35 and cards.keys() == real_cards.keys()
    for stem, original in real_cards.items():
        card = cards[stem]
        assert (card.name, card.description) == (original["name"], original["description"])
        assert (card.kind, card.parent, card.source) == ("agent", None, "files")
        for position, skill in enumerate(original["skills"]):
            assert (f"skills[{position}].name", skill["name"]) in card.fields


def test_real_agent_cards_become_a_card_for_each_skill(real_cards, tmp_path):
    cards = loaded(tmp_path, "tool")
    expected = {
        (f"{stem}::{skill['name']}", stem, skill["description"])
        for stem, original in real_cards.items()
        for skill in original["skills"]
    }
    # 147 skills, as data/a2a_cards has.
    assert len(cards) == len(expected) == 147
    assert {(card.id, card.parent, card.description) for card in cards} == expected


@mark.parametrize("level", ["auto", "agent"])
def test_the_fields_of_an_agent_card(tmp_path, level):
    lay(tmp_path, {"chef.json": CARD})
    (card,) = loaded(tmp_path, level)
    assert fields_of([card]) == {"chef": CHEF_FIELDS}
    assert card.text == (
        "Chef Cooks food kitchen Bake Bakes bread oven Fry Fry an egg Fry fish"  # no skill ids
    )


def test_the_fields_of_a_skill(tmp_path):
    lay(tmp_path, {"chef.json": CARD})
    assert fields_of(loaded(tmp_path, "tool")) == {
        "chef::Bake": [
            ("parent.name", "Chef"),
            ("name", "Bake"),
            ("description", "Bakes bread"),
            ("tags", "oven"),
        ],
        "chef::Fry": [
            ("parent.name", "Chef"),
            ("name", "Fry"),
            ("examples", "Fry an egg Fry fish"),
        ],
    }


@mark.parametrize(
    ("value", "server"),
    [
        (TOOLS, None),
        ({"tools": TOOLS, "nextCursor": "x"}, None),
        ({"jsonrpc": "2.0", "id": 7, "result": {"tools": TOOLS}}, None),
        ({"name": "disk", "tools": TOOLS}, "disk"),
        ({"serverInfo": {"name": "disk", "version": "1"}, "tools": TOOLS}, "disk"),
        ({"server": {"name": "disk", "version": "1"}, "tools": TOOLS}, "disk"),
        ({"server": {"name": "disk", "tools": TOOLS}, "tools": TOOLS}, "disk"),
        ({"server": {"name": "disk", "skills": []}, "tools": TOOLS}, "disk"),
        ({"name": "disk", "skills": [], "tools": TOOLS}, "disk"),
        ({"name": "disk", "skills": None, "tools": TOOLS}, "disk"),
        ({"name": "disk", "servers": [], "tools": TOOLS}, "disk"),
        ({"name": "disk", "server": {}, "tools": TOOLS}, "disk"),
        (
            {
                "jsonrpc": "2.0",
                "id": "a",
                "result": {"serverInfo": {"name": "disk"}, "tools": TOOLS},
            },
            "disk",
        ),
    ],
)
@mark.parametrize("level", ["auto", "tool"])
def test_mcp_tools_become_a_card_each(tmp_path, value, server, level):
    lay(tmp_path, {"mcp.json": value})
    parent = [("parent.name", server)] if server else []
    cards = loaded(tmp_path, level)
    assert fields_of(cards) == {
        "mcp::read": [*parent, ("name", "read"), ("description", "Read a file")],
        "mcp::write": [*parent, ("name", "write")],
    }
    assert {(card.kind, card.parent) for card in cards} == {("tool", "mcp")}


def test_a_named_mcp_server_becomes_one_card_at_agent_level(tmp_path):
    lay(tmp_path, {"mcp.json": {"name": "disk", "tools": TOOLS}})
    assert fields_of(loaded(tmp_path, "agent")) == {
        "mcp": [
            ("name", "disk"),
            ("tools[0].name", "read"),
            ("tools[0].description", "Read a file"),
            ("tools[1].name", "write"),
        ]
    }


@mark.parametrize("level", ["auto", "agent", "tool"])
def test_an_mcp_server_json_without_tools_is_an_agent(tmp_path, level):
    server = {
        "$schema": "https://static.modelcontextprotocol.io/schemas/server.schema.json",
        "name": "io.github.ann/disk",
        "description": "Files",
        "version": "1.0.0",
        "packages": [{"registryType": "npm", "identifier": "disk"}],
    }
    lay(tmp_path, {"server.json": server})
    (card,) = loaded(tmp_path, level)
    assert card == (
        "server",
        "io.github.ann/disk",
        "Files",
        (Field("name", "io.github.ann/disk"), Field("description", "Files")),
        None,
        "agent",
        "files",
    )


def test_a_registry_list_gives_a_card_for_each_server(tmp_path):
    servers = [
        {"server": {"name": "one", "description": "1st"}, "_meta": {"status": "active"}},
        {"name": "two", "id": "own-id"},
        {"name": "three", "tools": TOOLS[:1]},
    ]
    lay(tmp_path, {"list.json": {"servers": servers, "metadata": {"count": 3}}})
    assert fields_of(loaded(tmp_path)) == {
        "list#0": [("name", "one"), ("description", "1st")],
        "own-id": [("name", "two")],
        "list#2::read": [
            ("parent.name", "three"),
            ("name", "read"),
            ("description", "Read a file"),
        ],
    }


def test_card_lines_take_file_and_line_as_id_where_they_have_none(tmp_path):
    lines = json_lines({"name": "a"}, {"id": 12, "name": "b"}) + "\n" + json_lines({"name": "c"})
    lay(tmp_path, {"cards.jsonl": lines})
    assert [card.id for card in loaded(tmp_path)] == ["12", "cards:1", "cards:4"]


@mark.parametrize("level", ["auto", "agent", "tool"])
def test_passages_keep_their_text(tmp_path, level):
    text = '"quoted\tand\r\u2028 \u0085na\u00efve '  # what else than LF may end a line
    lay(tmp_path, {"cards.jsonl": json_lines({"id": "p2", "text": text}, {"id": 1, "text": ""})})
    assert loaded(tmp_path, level) == [
        ("1", "", "", (), None, "passage", "files"),
        ("p2", "", text, (("text", text),), None, "passage", "files"),
    ]


def test_cards_of_folders_below_are_sorted_by_id_and_hidden_files_left_out(tmp_path):
    lay(
        tmp_path,
        {
            "z/a.json": {"name": "a"},
            "b.json": {"name": "b"},
            "m.json/c.json": {"name": "c"},  # a folder may be called so
            "d.yaml": "name: d",
            ".git/e.json": "{",
            "z/.f.json": "{",
        },
    )
    assert [card.id for card in loaded(tmp_path)] == ["b", "m.json/c", "z/a"]


def test_a_single_file_is_a_registry(tmp_path):
    lay(tmp_path, {"a.json": CARD, "b.json": "{", "queries.jsonl": "{", "qrels.tsv": "x"})
    corpus = load_corpus(f"files:{tmp_path / 'a.json'}")
    assert fields_of(corpus.cards) == {"a": CHEF_FIELDS}
    assert (corpus.queries, corpus.qrels) == ([], [])
    assert list(corpus.checksums) == ["a.json"]


def with_queries(folder: Path, mark_of_order: str = "", end: str = "\n") -> Corpus:
    """A registry of two cards with two queries and three judgments, loaded."""
    queries = json_lines(
        {"qid": 2, "text": "second", "extra": None},
        {"id": "q1", "text": "first", "steps": ["one", "two"]},
    )
    files = {
        "cards.jsonl": json_lines({"id": "a", "name": "A"}, {"id": "b c", "text": "B"}),
        "queries.jsonl": queries,
        "qrels.tsv": "q1\t0\tb c\t2\n\nq1\tQ0\ta\t0\n2\t0\ta\t-1\n",
    }
    laid = {name: mark_of_order + text.replace("\n", end) for name, text in files.items()}
    return load_corpus(f"files:{lay(folder, laid)}/")


@mark.parametrize("end", ["\n", "\r\n"])
@mark.parametrize("mark_of_order", ["", "\ufeff"])
def test_queries_and_judgments_whatever_the_line_ends(tmp_path, mark_of_order, end):
    corpus = with_queries(tmp_path, mark_of_order, end)
    assert fields_of(corpus.cards) == {"a": [("name", "A")], "b c": [("text", "B")]}
    assert corpus.queries == [
        ("2", "second", (), "files"),
        ("q1", "first", ("one", "two"), "files"),
    ]
    # In the order of the file: samples follow it.
    assert corpus.qrels == [("q1", "b c", 2), ("q1", "a", 0), ("2", "a", -1)]
    assert list(corpus.checksums) == ["cards.jsonl", "qrels.tsv", "queries.jsonl"]
    assert corpus.total == 2


def test_a_json_file_may_have_a_byte_order_mark_and_crlf(tmp_path):
    text = "\ufeff" + json.dumps(CARD, indent=1).replace("\n", "\r\n")
    lay(tmp_path, {"chef.json": text})
    assert fields_of(loaded(tmp_path)) == {"chef": CHEF_FIELDS}


def test_escaped_pairs_and_backslashes_are_no_lone_surrogates(tmp_path):
    lay(tmp_path, {"a.json": r'{"name": "\ud83d\ude00", "description": "\\ud800"}'})
    (card,) = loaded(tmp_path)
    assert (card.name, card.description) == ("\U0001f600", "\\ud800")


def test_the_id_that_is_there_is_taken(tmp_path):
    """That of a reply of JSON-RPC numbers the reply; an empty one outside hides none inside."""
    reply = {"jsonrpc": "2.0", "id": 7, "result": {"id": "a", "name": "A"}}
    card = {"id": None, "card": {"id": "b", "name": "B"}}
    lay(tmp_path, {"reply.json": reply, "card.json": card})
    assert [card.id for card in loaded(tmp_path)] == ["a", "b"]
