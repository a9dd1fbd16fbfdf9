"""The native BM25 engine: FTS5's scores to the last bit, and which engine serves when."""

import json

import pyarrow as pa
import pytest
from generated import cards_of, random_cards, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_discovery.card_store import CardStore
from agent_discovery.cards import CARDS_SCHEMA, card_batches
from agent_discovery.errors import InputError
from agent_discovery.files import write_table
from agent_discovery.retrieval import lexical
from agent_discovery.retrieval.bm25 import Bm25Native
from agent_discovery.retrieval.lexical import Bm25, build_fts, open_bm25, prepare_bm25


def agree(index, fts: Bm25, queries) -> None:
    native = Bm25Native(index)
    for query in queries:
        expected, found = fts.score(query), native.score(query)
        for one, other in zip(found, expected, strict=True):
            assert one.tolist() == other.tolist()


def test_native_equals_fts5_to_the_last_bit(world):
    agree(world.index, world.bm25, world.queries)


@settings(max_examples=50)
@given(st.lists(texts, min_size=1, max_size=6), st.lists(texts, min_size=1, max_size=4))
def test_native_equals_fts5_on_any_text(world_of, card_texts, queries):
    world = world_of(cards_of(card_texts))
    agree(world.index, world.bm25, queries)


def test_more_cards_than_one_window(build, tmp_path):
    """The second window of 65,536 cards holds no candidate."""
    empty = range(1 << 16, 1 << 17)
    cards = cards_of(
        "pad" if n in empty else f"ab{n % 5} " * (n % 4) + f"cd{n % 7}" for n in range(140_000)
    )
    build_fts(card_batches(cards), tmp_path / "fts")
    agree(build(cards), Bm25(tmp_path / "fts"), ["ab1 cd2", "cd3 ab4 ab0", "pad"])


@pytest.mark.parametrize("query", ["", "the of a", "nosuchword"])
def test_queries_without_candidates(generated_world, query):
    scored = Bm25Native(generated_world.index).score(query)
    assert [len(column) for column in scored] == [0, 0, 0]


def test_an_index_without_cards_or_words(build):
    for cards in ([], cards_of(["", "the"])):
        assert len(Bm25Native(build(cards)).score("word").cards) == 0


@pytest.fixture
def store(tmp_path) -> CardStore:
    batches = card_batches(random_cards(30, seed=5))
    write_table(tmp_path / "cards.parquet", pa.Table.from_batches(batches, CARDS_SCHEMA))
    return CardStore(tmp_path / "cards.parquet")


@pytest.mark.parametrize(
    ("engine", "up_to", "expected"),
    [("auto", 30, Bm25), ("auto", 29, Bm25Native), ("fts5", 0, Bm25), ("native", 99, Bm25Native)],
)
def test_the_engine_that_is_asked_for(build, store, tmp_path, monkeypatch, engine, up_to, expected):
    monkeypatch.setattr(lexical, "FTS5_UP_TO", up_to)
    prepare_bm25(store, tmp_path / "bm25", engine)
    opened = open_bm25(build(random_cards(30, seed=5)), tmp_path / "bm25")
    assert type(opened) is expected
    assert (tmp_path / "bm25/cards.sqlite").exists() == (expected is Bm25)
    named = json.loads((tmp_path / "bm25/engine.json").read_text())["engine"]
    assert named == ("fts5" if expected is Bm25 else "native")


@pytest.mark.parametrize("content", [None, "", "[]", "{}", "\udcff"])
def test_a_folder_that_names_no_engine(build, tmp_path, content):
    if content is not None:
        (tmp_path / "engine.json").write_text(content, errors="surrogateescape")
    with pytest.raises(InputError, match="does not name an engine"):
        open_bm25(build(cards_of(["ab"])), tmp_path)
