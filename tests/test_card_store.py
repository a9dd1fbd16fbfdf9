"""Cards by number from a file of several row groups, and files that are none."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from corpus_files import refusal
from generated import card_of
from hypothesis import given
from hypothesis import strategies as st
from pytest import fixture, mark

from agent_discovery.card_store import CardStore
from agent_discovery.cards import (
    CARDS_SCHEMA,
    QUERIES_SCHEMA,
    Card,
    Field,
    Query,
    card_batches,
    texts_of,
)
from agent_discovery.corpora.corpus import Corpus, write_corpus
from agent_discovery.errors import InputError

CARDS = [card_of(f"id{number}", f"text {number}", "é\0" * number) for number in range(17)]
CARDS[5] = Card("five", "", "", (), None, "agent", "s")
CARDS[6] = Card("six", "n", "d", (Field("tags", "a b"), Field("name", "n")), "parent", "tool", "s")


def write(path: Path, sizes: list[int]) -> Path:
    """Write the first cards in row groups of some sizes (0 makes an empty one)."""
    batches = list(card_batches(CARDS, 1))
    with pq.ParquetWriter(path, CARDS_SCHEMA) as writer:
        for size in sizes:
            table = pa.Table.from_batches([batches.pop(0) for _ in range(size)], CARDS_SCHEMA)
            writer.write_table(table)
    return path


@fixture(scope="module")
def path(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("store") / "cards.parquet", [4, 1, 5, 5, 2])


@fixture(scope="module")
def store(path) -> CardStore:
    return CardStore(path)


def test_the_file_has_several_row_groups(path):
    assert pq.ParquetFile(path).num_row_groups == 5


@given(st.lists(st.integers(0, 16), max_size=30))
def test_cards_come_once_each_by_rising_number(store, numbers):
    assert list(store.cards(numbers)) == [(n, CARDS[n]) for n in sorted(set(numbers))]


def test_numbers_may_be_an_array_or_keys(store):
    expected = [(3, CARDS[3]), (4, CARDS[4]), (16, CARDS[16])]
    assert list(store.cards(np.array([16, 3, 4], np.uint32))) == expected
    assert list(store.cards({4: "a", 16: "b", 3: "c"})) == expected


def test_each_row_group_is_read_once_and_only_if_needed(path, monkeypatch):
    read, real = [], pq.ParquetFile.read_row_group

    def counted(self, number, *arguments, **options):
        read.append(number)
        return real(self, number, *arguments, **options)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", counted)
    assert len(list(CardStore(path).cards([12, 0, 3, 11, 0]))) == 4
    assert read == [0, 3]


def test_length_and_batches(store):
    assert len(store) == 17
    ids = [card_id for batch in store.batches() for card_id in batch.column("id").to_pylist()]
    assert ids == [card.id for card in CARDS]


@given(st.lists(st.lists(st.text(max_size=3), max_size=2), min_size=1, max_size=5), st.data())
def test_texts_are_the_fields_joined(fields, data):
    """Of a slice too; and where each card has one field, which is then its text."""
    cards = [card_of(str(number), *texts) for number, texts in enumerate(fields)]
    (batch,) = card_batches(cards)
    first = data.draw(st.integers(0, len(cards)))
    assert texts_of(batch.slice(first)).to_pylist() == [card.text for card in cards[first:]]


def test_only_some_columns_are_read(store):
    batches = list(store.batches(3, ["id", "fields.list.element.text"]))
    assert all(batch.schema.names == ["id", "fields"] for batch in batches)
    texts = [text for batch in batches for text in texts_of(batch).to_pylist()]
    assert texts == [card.text for card in CARDS[3:]]


def test_empty_row_groups_are_passed_over(tmp_path):
    store = CardStore(write(tmp_path / "cards.parquet", [0, 2, 0, 0, 3, 0]))
    assert list(store.cards(range(5))) == list(enumerate(CARDS[:5]))


def test_a_store_without_cards(tmp_path):
    store = CardStore(write(tmp_path / "cards.parquet", []))
    assert len(store) == 0 and list(store.cards([])) == [] and list(store.batches()) == []


def refused(path: Path) -> None:
    message = refusal(lambda: list(CardStore(path).cards(range(17))))
    assert message.startswith(f"{path}: no whole cards file here") and "again" in message


def test_a_missing_file_is_refused(tmp_path):
    refused(tmp_path / "cards.parquet")
    refused(tmp_path / "no" / "such" / "folder.parquet")
    refused(tmp_path)


@mark.parametrize("share", [0, 0.001, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_refused(path, tmp_path, share):
    content = path.read_bytes()
    (tmp_path / "cut").write_bytes(content[: int(len(content) * share)])
    refused(tmp_path / "cut")


def test_a_file_whose_pages_are_lost_is_refused(path, tmp_path):
    """The footer is whole, so only reading the cards can tell."""
    content = bytearray(path.read_bytes())
    content[4:400] = bytes(396)
    (tmp_path / "zeros").write_bytes(content)
    assert len(CardStore(tmp_path / "zeros")) == 17
    refused(tmp_path / "zeros")
    message = refusal(lambda: list(CardStore(tmp_path / "zeros").batches()))
    assert message.startswith(f"{tmp_path / 'zeros'}: ")


@mark.parametrize("bit", [1, 32, 128])
def test_every_changed_byte_is_refused_or_changes_no_card(tmp_path, bit):
    """Whatever part of the file it is in: pages, their heads, or the schema at its end."""
    corpus = Corpus("x", CARDS[:2], [Query("q1", "text one", ("a",), "s")])
    write_corpus(corpus, tmp_path)
    path = tmp_path / "cards.parquet"
    whole = path.read_bytes()
    found = set()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
        try:
            store = CardStore(path)
            read = [list(store), [card for _, card in store.cards(range(len(store)))]]
        except InputError as error:
            assert str(error).startswith(f"{path}: no whole cards file here")
            found.add("refused")
        else:
            assert read == [CARDS[:2]] * 2
            found.add("whole")
    assert found == {"refused", "whole"}


def test_columns_of_another_type_are_refused(tmp_path):
    columns = {name: [["a"]] for name in CARDS_SCHEMA.names}
    pq.write_table(pa.table(columns), tmp_path / "lists.parquet")
    refused(tmp_path / "lists.parquet")


def test_other_files_are_refused(tmp_path):
    (tmp_path / "text").write_text("PAR1 is how such a file would begin. PAR1")
    refused(tmp_path / "text")
    pq.write_table(QUERIES_SCHEMA.empty_table(), tmp_path / "queries.parquet")
    refused(tmp_path / "queries.parquet")
