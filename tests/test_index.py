"""The built index holds exactly what the plain definition says, and is the same however built."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path

import numpy as np
from generated import card_of, cards_of, random_cards, texts
from hypothesis import given
from hypothesis import strategies as st
from pytest import MonkeyPatch, fixture, mark

from agent_discovery.cards import Card, card_batches
from agent_discovery.retrieval import build as building
from agent_discovery.retrieval import isi
from agent_discovery.retrieval.build import build_index
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.keys import FIRST_SHIFT, signal_of
from agent_discovery.signals import MAX_SIGNALS, signals, tokens

registries = st.lists(texts, min_size=1, max_size=8)
caps = st.sampled_from([1, 5, MAX_SIGNALS])


def rows(index: InvertedSignalIndex, data: str, offsets: str) -> list[list[int]]:
    """An array of the index cut at its offsets."""
    values, bounds = index.arrays[data].tolist(), index.arrays[offsets].tolist()
    assert (bounds[0], bounds[-1]) == (0, len(values))
    return [values[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]


def spelled(index: InvertedSignalIndex, keys: Iterable[int]) -> list[str]:
    return [signal_of(key, index.vocabulary) for key in keys]


def signal_postings(index: InvertedSignalIndex) -> dict[int, list[int]]:
    """Each key's cards, by a plain walk along the blocks (`build` tells what a block is)."""
    names = ("block_unigrams", "repeated_ends", "postings")
    unigrams, ends, postings = (index.arrays[name].tolist() for name in names)
    blocks = rows(index, "postings", "block_offsets")
    repeated = rows(index, "repeated_seconds", "repeated_offsets")
    single = rows(index, "single_seconds", "single_offsets")
    assert len(ends) == sum(map(len, repeated)) and len(postings) == sum(map(len, blocks))
    found, row = {}, 0
    for token, block in enumerate(blocks):
        start = unigrams[token]
        lists = {0: block[:start]} if start else {}
        for second in repeated[token]:
            lists[second + 1] = block[start : ends[row]]
            start, row = ends[row], row + 1
        lists |= {s + 1: [card] for s, card in zip(single[token], block[start:], strict=True)}
        found |= {token << FIRST_SHIFT | second: lists[second] for second in sorted(lists)}
    return found


def plain_postings(held: Sequence[Sequence[str]]) -> dict[str, list[int]]:
    """For each string the numbers of the cards that hold it, rising."""
    postings = defaultdict(list)
    for card, strings in enumerate(held):
        for string in strings:
            postings[string].append(card)
    return dict(postings)


@given(registries, caps)
def test_each_card_holds_its_signals(build, card_texts, cap):
    index = build(cards_of(card_texts), max_signals=cap)
    by_card = rows(index, "card_signals", "card_offsets")
    assert all(keys == sorted(keys) for keys in by_card)
    expected = [sorted(signals(text, cap)) for text in card_texts]
    assert [sorted(spelled(index, keys)) for keys in by_card] == expected


@given(registries, caps)
def test_postings_are_the_inverse(build, card_texts, cap):
    index = build(cards_of(card_texts), max_signals=cap)
    lists = signal_postings(index)
    by_signal = dict(zip(spelled(index, lists), lists.values(), strict=True))
    assert by_signal == plain_postings([signals(text, cap) for text in card_texts])


@given(registries, caps)
def test_each_list_is_found(build, card_texts, cap):
    """Those of the signals that cards hold, and none for two tokens that never stand so."""
    index = build(cards_of(card_texts), max_signals=cap)
    expected = plain_postings([signals(text, cap) for text in card_texts])
    words = dict.fromkeys(word for text in card_texts for word in tokens(text))
    for first, second in product(list(words)[:12], repeat=2):
        lists = index.signal_lists(f"{first} {second}")
        asked = [signal for signal in signals(f"{first} {second}", cap) if signal in expected]
        cards = [
            index.arrays["postings"][start:end].tolist()
            for start, end in zip(lists.starts, lists.ends, strict=True)
        ]
        found = dict(zip(spelled(index, lists.keys), cards, strict=True))
        assert found == {signal: expected[signal] for signal in asked}


@given(registries, caps)
def test_terms_are_counted_without_a_cap(build, card_texts, cap):
    index = build(cards_of(card_texts), max_signals=cap)
    counts = [Counter(tokens(text)) for text in card_texts]
    vocabulary = [index.vocabulary[number] for number in range(len(index.vocabulary))]
    assert vocabulary == sorted(set().union(*counts))
    postings = rows(index, "term_postings", "term_offsets")
    assert dict(zip(vocabulary, postings, strict=True)) == plain_postings(counts)
    frequencies = rows(index, "term_frequencies", "term_offsets")
    expected = [[c[word] for c in counts if word in c] for word in vocabulary]
    assert frequencies == expected


@given(registries)
def test_a_key_stands_for_one_signal(build, card_texts):
    index = build(cards_of(card_texts))
    for signal in {signal for text in card_texts for signal in signals(text)}:
        (key,) = index.vocabulary.find_keys([signal])
        assert signal_of(key, index.vocabulary) == signal
    for unknown in ("qqqq", "qqqq_qqqq"):
        assert len(index.vocabulary.find_keys([unknown])) == 0


def test_the_query_lists_run_by_falling_idf(build):
    index = build(cards_of(["ab cd", "ab ef", "ab cd ef gh"]))
    lists = index.signal_lists("zz ab cd ef")
    # cd_ef is held by one card, ab by all; zz and zz_ab by none; equals come in lexical order.
    assert spelled(index, lists.keys) == ["cd_ef", "ab_cd", "cd", "ef", "ab"]
    assert (lists.ends - lists.starts).tolist() == [1, 2, 2, 2, 3]
    assert index.term_lists("cd zz cd ab").counts.tolist() == [2, 1]


# --- the same bytes however built -----------------------------------------------------------------


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def built_bytes(folder: Path, cards: Sequence[Card], batch: int = 8192) -> dict[str, bytes]:
    build_index(card_batches(cards, batch), folder)
    return contents(folder)


@fixture(scope="module")
def sample() -> list[Card]:
    # An empty card first, last and in between: offsets that do not move.
    cards = random_cards(60, seed=5)
    return [card_of("first", ""), *cards[:30], card_of("the", "of the"), *cards[30:], card_of("l")]


@fixture(scope="module")
def sample_bytes(sample, tmp_path_factory) -> dict[str, bytes]:
    return built_bytes(tmp_path_factory.mktemp("sample") / "isi", sample)


def test_two_builds_are_byte_identical(sample, sample_bytes, tmp_path):
    again = built_bytes(tmp_path / "isi", sample)
    assert again == sample_bytes
    assert not any(name.endswith(".spill") for name in again)


@mark.parametrize("batch", [1, 7])
def test_the_batches_make_no_difference(sample, sample_bytes, tmp_path, batch):
    assert built_bytes(tmp_path / "isi", sample, batch) == sample_bytes


def test_sliced_and_empty_batches_make_no_difference(sample, sample_bytes, tmp_path):
    (whole,) = card_batches([card_of("before", "of no matter"), *sample, card_of("after", "nor")])
    nothing = whole.slice(0, 0)
    parts = [nothing, whole.slice(1, 20), nothing, whole.slice(21, len(sample) - 20), nothing]
    build_index(parts, tmp_path / "isi")
    assert contents(tmp_path / "isi") == sample_bytes


def shrink(monkeypatch: MonkeyPatch, chunk: int, partition: int) -> None:
    """Make the steps that the build works in tiny."""
    monkeypatch.setattr(building, "CHUNK_ENTRIES", chunk)
    monkeypatch.setattr(building, "PARTITION_ENTRIES", partition)
    monkeypatch.setattr(building, "STEP_CARDS", chunk)


@mark.parametrize("chunk", [1, 3, 50])
@mark.parametrize("partition", [1, 4, 100])
def test_the_slices_make_no_difference(
    sample, sample_bytes, tmp_path, monkeypatch, chunk, partition
):
    shrink(monkeypatch, chunk, partition)
    assert built_bytes(tmp_path / "isi", sample) == sample_bytes


@given(st.lists(st.integers(0, 6), max_size=12), st.integers(1, 8))
def test_slices_cover_the_rows_in_order(lengths, entries):
    bounds = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
    slices = list(building.slices(bounds, entries))
    assert [row for first, last in slices for row in range(first, last)] == list(
        range(len(lengths))
    )
    for first, last in slices:
        assert last - first == 1 or sum(lengths[first:last]) <= entries


# --- small registries -----------------------------------------------------------------------------


def test_a_registry_of_one_card(build):
    index = build(cards_of(["hello world"]))
    assert index.cards == 1
    assert spelled(index, signal_postings(index)) == ["hello", "hello_world", "world"]
    assert index.arrays["postings"].tolist() == [0, 0, 0]


@mark.parametrize("card_texts", [["the of a"], ["", "is it", "\u0130"]])
def test_cards_without_tokens(build, card_texts):
    index = build(cards_of(card_texts))
    assert index.cards == len(card_texts)
    assert len(index.vocabulary) == 0
    assert len(index.signal_lists("hello world").keys) == 0
    assert index.card_of("0") == 0


def test_a_registry_without_cards(build):
    index = build([])
    assert index.cards == 0
    assert index.card_of("0") is None
    assert len(index.signal_lists("hello").keys) == len(index.term_lists("hello").keys) == 0


def test_a_card_of_many_fields_is_one_text(build):
    index = build([card_of("1", "red", "the", "fox", "")])
    assert spelled(index, signal_postings(index)) == ["fox", "red", "red_fox"]


@mark.parametrize(("times", "dtype"), [(255, "u1"), (256, "<u2"), (65_536, "<u4")])
def test_frequencies_are_as_wide_as_they_need_be(build, times, dtype):
    index = build(cards_of(["often " * times, "once often"]))
    assert index.arrays["term_frequencies"].dtype == dtype
    assert index.arrays["term_frequencies"].tolist() == [times, 1, 1]


@mark.parametrize("cards", [1, 10, 9_288, 8_841_823])
def test_compiled_idf_has_the_bits_of_the_plain_one(cards):
    for frequency in (0, 1, 2, 3, 7, 100, 4_321, 267_000, cards // 2, cards):
        assert isi._idf(cards, frequency) == isi.inverse_document_frequency(cards, frequency)
