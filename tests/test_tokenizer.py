"""The fast tokenizer gives the tokens of the plain one, whatever the text and however it comes."""

import numpy as np
import pyarrow as pa
from generated import texts
from hypothesis import given
from hypothesis import strategies as st
from pytest import mark

from agent_discovery.retrieval.tokenizer import Interner, Tokens
from agent_discovery.retrieval.vocabulary import as_strings, joined_ranks, sort_strings
from agent_discovery.signals import tokens


def vocabulary(interner: Interner) -> list[str]:
    """All tokens that an interner has seen, in the order of their numbers."""
    return as_strings(*interner.words(0), pa.large_string()).to_pylist()


def spelled(interner: Interner, batch: Tokens) -> list[list[str]]:
    """Each text's tokens as strings."""
    known = vocabulary(interner)
    words = [known[number] for number in batch.ids]
    return [words[a:b] for a, b in zip(batch.offsets, batch.offsets[1:], strict=False)]


def tokenized(*batches: pa.Array) -> list[list[str]]:
    """The tokens of all texts of all batches, by one interner."""
    interner = Interner()
    numbered = [interner.tokenize(batch) for batch in batches]
    return [words for batch in numbered for words in spelled(interner, batch)]


@given(st.lists(st.lists(texts, max_size=6), min_size=1, max_size=4))
def test_batches_equal_the_plain_tokens(batches):
    arrays = [pa.array(batch, pa.string()) for batch in batches]
    assert tokenized(*arrays) == [tokens(text) for batch in batches for text in batch]


@given(st.lists(texts, max_size=8), st.sampled_from([pa.string(), pa.large_string()]), st.data())
def test_a_slice_equals_the_plain_tokens(batch, string_type, data):
    start = data.draw(st.integers(0, len(batch)))
    length = data.draw(st.integers(0, len(batch) - start))
    array = pa.array(batch, string_type).slice(start, length)
    assert tokenized(array) == [tokens(text) for text in batch[start : start + length]]


def test_every_character_equals_the_plain_tokens():
    """All of Unicode, each character between two letters, and alone between blanks."""
    characters = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    batch = [
        " ".join(f"a{c}b {c}" for c in characters[start : start + 4096])
        for start in range(0, len(characters), 4096)
    ]
    assert tokenized(pa.array(batch)) == [tokens(text) for text in batch]


@mark.parametrize(
    "batch",
    [
        [],
        [""],
        ["", "", ""],
        ["the of a"],
        # A token may begin or end where a text does, and a multi-byte character may be cut short.
        ["ab", "cd", "", "ab", "\u212a", "k\u212a", "a\u0130", "\u0130", "\u00e2", "\u00c4"],
    ],
)
def test_edges_equal_the_plain_tokens(batch):
    assert tokenized(pa.array(batch, pa.string())) == [tokens(text) for text in batch]


def test_a_missing_text_has_no_tokens():
    assert tokenized(pa.array(["one two", None, "three"])) == [["one", "two"], [], ["three"]]


@mark.parametrize("size", [255, 70_000, 3_000_000])
def test_very_long_tokens(size):
    """Longer than what the interner reserves at first, and differing in the last letter alone."""
    batch = ["x" * size + "y", "x" * size + "z " + "x" * size + "y", "x" * size]
    assert tokenized(pa.array(batch)) == [tokens(text) for text in batch]


def test_numbers_stay_as_the_vocabulary_grows():
    """Numbers count from 0 by first sight, and survive the table's growth between batches."""
    interner = Interner()
    first = interner.tokenize(pa.array(["the beta alpha beta"]))
    many = [f"w{number}" for number in range(300_000)]
    grown = interner.tokenize(pa.array([" ".join(many)]))
    again = interner.tokenize(pa.array(["alpha w299999 beta w0"]))
    assert first.ids.tolist() == [0, 1, 0]
    assert np.array_equal(grown.ids, np.arange(2, 300_002))
    assert again.ids.tolist() == [1, 300_001, 0, 2]
    assert len(interner) == 300_002


@given(st.lists(st.lists(texts, max_size=4), min_size=2, max_size=4), st.data())
def test_another_interner_goes_on_where_one_was(batches, data):
    arrays = [pa.array(batch, pa.string()) for batch in batches]
    split = data.draw(st.integers(0, len(arrays)))
    whole, begun = Interner(), Interner()
    expected = [whole.tokenize(array).ids.tolist() for array in arrays]
    found = [begun.tokenize(array).ids.tolist() for array in arrays[:split]]
    resumed = Interner(*begun.words(0))
    found += [resumed.tokenize(array).ids.tolist() for array in arrays[split:]]
    assert found == expected and vocabulary(resumed) == vocabulary(whole)


def test_a_stopword_is_never_in_the_vocabulary():
    interner = Interner()
    interner.tokenize(pa.array(["the cat is about the house"]))
    assert vocabulary(interner) == ["cat", "house"]


words = st.lists(st.text("ab1z", min_size=2, max_size=4), min_size=1, max_size=12, unique=True)


@given(words)
def test_pairs_of_ranks_sort_as_joined_bigrams_do(tokens_seen):
    array = pa.array([word.encode() for word in tokens_seen], pa.large_binary())
    ordered, plain = sort_strings(array)
    joined = joined_ranks(ordered)
    numbers = range(len(tokens_seen))
    by_rank = sorted(
        ((i, j) for i in numbers for j in numbers),
        key=lambda ij: (joined[plain[ij[0]]], plain[ij[1]]),
    )
    bigrams = [f"{tokens_seen[i]}_{tokens_seen[j]}" for i, j in by_rank]
    assert bigrams == sorted(bigrams)


@given(st.lists(st.text(), unique=True))
def test_sorted_strings_are_found_where_they_are(strings):
    found, rank = sort_strings(pa.array(strings, pa.string()))
    assert [found[i] for i in range(len(found))] == sorted(strings)
    assert [found.find(string) for string in strings] == rank.tolist()
    assert found.find("not there, surely") == -1
