"""Whatever JSON or bytes a registry holds, it gives whole cards or one InputError."""

import json
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq
from budget import examples, held
from corpus_files import lay
from hypothesis import given
from hypothesis import strategies as st

from agent_discovery.cards import CARDS_SCHEMA, Card
from agent_discovery.corpora.agents import agent_card, tool_cards
from agent_discovery.corpora.corpus import write_corpus
from agent_discovery.corpora.folder import load_folder
from agent_discovery.corpora.manifests import read_manifest

CARD_KEYS = ["id", "name", "description", "tags", "skills", "tools", "examples", "text"]
KEYS = [*CARD_KEYS, "inputSchema", "servers", "server", "card", "result", "serverInfo", "jsonrpc"]
VALID = [
    {
        "id": "chef",
        "name": "Chef",
        "description": "Cooks",
        "tags": ["food"],
        "skills": [{"name": "Bake", "description": "Bread", "tags": ["oven"], "examples": ["a"]}],
    },
    {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "t", "inputSchema": {}}]}},
    {"servers": [{"server": {"name": "a"}, "_meta": {}}, {"name": "b", "tools": [{"name": "t"}]}]},
    [{"name": "t1", "inputSchema": {}}, {"name": "t2", "inputSchema": {"type": "object"}}],
    {"id": "p", "text": "a passage"},
]

# Texts hold control characters and lone surrogates too: JSON escapes can bring them in.
texts = st.text(alphabet=st.characters(), max_size=8) | st.sampled_from(["", " ", "\ud800", "\n"])
# What a path, a table or a terminal could take for more than a name.
HOSTILE = [
    "../../x",
    "/etc/x",
    "a\x00b",
    "x" * 10_000,
    "\u202egnp.exe",
    "\x1b[2J",
    "a\nb",
    "{corpus}",
    "$(x)",
]
texts |= st.sampled_from(HOSTILE)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS) | texts, inner, max_size=6)
    ),
    max_leaves=25,
)
levels = st.sampled_from(["auto", "agent", "tool"])


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """A valid card or manifest with one to three places deleted, replaced, added or doubled."""
    value = deepcopy(draw(st.sampled_from(VALID)))
    for _ in range(draw(st.integers(1, 3))):
        holder = draw(st.sampled_from(list(containers(value))))
        if isinstance(holder, list):
            holder.insert(draw(st.integers(0, len(holder))), draw(json_values))
            holder.extend(draw(st.sampled_from([[], holder[:1]])))
            continue
        key = draw(st.sampled_from([*holder, *KEYS]))
        if draw(st.booleans()):
            holder.pop(key, None)
        else:
            holder[key] = draw(json_values)
    return value


def containers(value: Any) -> list[Any]:
    """`value`, which is a list or an object, and all lists and objects inside it."""
    found = [value]
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            found += containers(inner)
    return found


def assert_whole(card: Card) -> None:
    """Nothing but texts, and an id that is not blank."""
    assert all(isinstance(text, str) for text in (card.id, card.name, card.description))
    assert card.id.strip() and card.kind in ("agent", "tool", "passage")
    assert all(isinstance(part, str) for field in card.fields for part in field)
    assert all(field.text.strip() for field in card.fields)


def cards_of(value: Any) -> list[Card]:
    """The cards of a JSON value at both levels."""
    found = []
    for item in read_manifest(value, "default", "source"):
        if isinstance(item, Card):
            found.append(item)
        else:
            found += tool_cards(item, "source")
            found.append(agent_card(item, "source"))
    return found


def read_registry(folder: Path, level: str, out: Path) -> bool:
    write_corpus(load_folder(folder, level), out)
    return True


def everything(root: Path) -> set[Path]:
    return set(root.rglob("*"))


def load_and_write(files: dict[str, bytes | str], level: str) -> list[dict] | None:
    """The cards that a registry of these files is written as; None where it is refused."""
    with TemporaryDirectory() as name:
        folder, out = lay(Path(name) / "in", files), Path(name) / "out"
        before = everything(Path(name))
        if held(read_registry, folder, level, out) is None:
            assert list(out.glob("*")) == []
            return None
        new = {path.name for path in everything(Path(name)) - before}
        assert new == {"out", "cards.parquet", "queries.parquet", "qrels.parquet", "corpus.json"}
        table = pq.read_table(out / "cards.parquet")
        assert table.schema.equals(CARDS_SCHEMA)
        ids = table.column("id").to_pylist()
        assert ids == sorted(set(ids))
        return table.to_pylist()


@examples(0.2)
@given(json_values | mutated())
def test_read_manifest_gives_whole_cards_or_one_line(value):
    for card in held(cards_of, value) or []:
        assert_whole(card)


@examples(0.15)
@given(json_values | mutated(), levels, st.sampled_from(["x.json", "x.jsonl"]))
def test_a_registry_of_any_json_is_written_whole_or_refused(value, level, name):
    cards = load_and_write({name: json.dumps(value)}, level)
    if cards is not None:
        assert cards and all(card["source"] == "files" for card in cards)


@examples(0.1)
@given(st.data(), st.sampled_from(VALID), levels)
def test_a_registry_with_damaged_bytes_is_written_whole_or_refused(data, value, level):
    content = json.dumps(value).encode()
    start, length = data.draw(st.integers(0, len(content))), data.draw(st.integers(0, 4))
    damage = data.draw(
        st.binary(max_size=4) | st.sampled_from([b"\\ud800", b"\\u0000", b"[", b"9"])
    )
    load_and_write({"x.json": content[:start] + damage + content[start + length :]}, level)


@examples(0.08)
@given(
    st.binary(max_size=40) | st.lists(json_values.map(json.dumps)).map("\n".join),
    st.binary(max_size=40) | st.text(alphabet="qa012\t\t\t\n\r-._\u0663\u2028", max_size=40),
)
def test_any_queries_and_judgments_are_read_or_refused(queries, qrels):
    cards = json.dumps({"id": "a", "name": "A"})
    load_and_write({"a.json": cards, "queries.jsonl": queries, "qrels.tsv": qrels}, "auto")


def test_the_values_that_are_mutated_are_valid():
    for value in VALID:
        assert load_and_write({"x.json": json.dumps(value)}, "tool")
