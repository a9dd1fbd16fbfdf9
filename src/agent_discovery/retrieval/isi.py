"""The Inverted Signal Index, opened from disk: signals, their cards, and their IDF."""

import math
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from agent_discovery.retrieval.arrays import ArrayFolder
from agent_discovery.retrieval.build import FORMAT, VERSION
from agent_discovery.retrieval.compiling import njit
from agent_discovery.retrieval.keys import FIRST_SHIFT, SECOND_MASK
from agent_discovery.retrieval.vocabulary import SortedStrings, find_ordered, inverse
from agent_discovery.signals import MAX_SIGNALS, signals, tokens

BLOCK_ARRAYS = (
    "block_offsets",
    "block_unigrams",
    "repeated_offsets",
    "repeated_seconds",
    "repeated_ends",
    "single_offsets",
    "single_seconds",
)
WORD_OFFSETS = (
    "token_offsets",
    "term_offsets",
    "block_offsets",
    "repeated_offsets",
    "single_offsets",
)

ONCE = np.ones(MAX_SIGNALS, np.int64)
ONCE.flags.writeable = False


def inverse_document_frequency(cards: int, document_frequency: int) -> float:
    """IDF(s) = ln((N + 1) / (df(s) + 1)) + 1 (SSR, section III-B)."""
    return math.log((cards + 1) / (document_frequency + 1)) + 1


_idf = njit(cache=True)(inverse_document_frequency)  # the same bits: both ask the C library


class Lists(NamedTuple):
    """The posting lists of a query's signals or terms, by falling IDF (equal IDF: by key).

    Scores are added in this order, so that cards with the same matches tie exactly.
    """

    keys: np.ndarray  # uint64
    starts: np.ndarray  # int64, into the postings
    ends: np.ndarray  # int64
    idf: np.ndarray  # float64
    counts: np.ndarray  # int64, how often the query holds each


class InvertedSignalIndex:
    """A built index, memory-mapped and read-only: opening takes milliseconds, whatever its size.

    folder: what `build.build_index` wrote. verify: compare every file with its checksum as well.
    corpus: the digest of the cards that it must be of. Raises InputError when the folder is not a
    whole index of this version, or of other cards.
    """

    def __init__(self, folder: str | Path, verify: bool = False, corpus: str | None = None):
        self.arrays = ArrayFolder(folder, FORMAT, VERSION)
        if corpus is not None:
            self.arrays.check_corpus(corpus)
        if verify:
            self.arrays.verify()
        self.cards = self.arrays.count("cards")
        self.max_signals = self.arrays.count("max_signals")
        self.arrays.check(_fit(self.arrays))
        self.vocabulary = SortedStrings(self.arrays["token_data"], self.arrays["token_offsets"])
        self._ids = (self.arrays["id_data"], self.arrays["id_offsets"])
        self._blocks = tuple(self.arrays[name] for name in BLOCK_ARRAYS)

    def id_of(self, card: int) -> str:
        """The id of a card number."""
        data, offsets = self._ids
        return data[offsets[card] : offsets[card + 1]].tobytes().decode()

    def card_of(self, card_id: str) -> int | None:
        """The number of a card id, or None."""
        card = find_ordered(*self._ids, self.arrays["id_order"], card_id)
        return card if card >= 0 else None

    def tie_order(self, tie_break: str) -> np.ndarray:
        """Each card's place in the order that breaks ties (config.tie_break). Shape (cards,)."""
        if tie_break == "authors":
            return inverse(self.arrays["id_order"][::-1])
        return self.arrays["tie_rank"]

    def signal_lists(self, query: str) -> Lists:
        """The posting lists (into `postings`) of a query's signals that any card holds."""
        keys = self.vocabulary.find_keys(signals(query, min(self.max_signals, MAX_SIGNALS)))
        keys, starts, ends, idf = _spans(*self._blocks, self.cards, keys)
        return Lists(keys, starts, ends, idf, ONCE[: len(keys)])

    def term_lists(self, query: str) -> Lists:
        """The lists (into `term_postings`) of a query's unigrams, with their multiplicity."""
        offsets = self.arrays["term_offsets"]
        counts = Counter(n for n in self.vocabulary.find_all(tokens(query)) if n >= 0)
        rows = [(n, int(offsets[n]), int(offsets[n + 1]), count) for n, count in counts.items()]
        rows.sort(key=lambda row: (row[2] - row[1], row[0]))
        table = np.array(rows, np.int64).reshape(-1, 4)
        keys, (starts, ends, counts) = table[:, 0].astype(np.uint64), table[:, 1:].T.copy()
        lengths = (ends - starts).tolist()
        idf = [inverse_document_frequency(self.cards, length) for length in lengths]
        return Lists(keys, starts, ends, np.array(idf, np.float64), counts)


def _fit(arrays: ArrayFolder) -> bool:
    """Whether the counts are those of the arrays, as `build` lists them: by their lengths alone."""
    cards, tokens, most = map(arrays.count, ("cards", "tokens", "max_signals"))
    of_cards = [len(arrays[name]) for name in ("id_order", "tie_rank")]
    of_cards += [len(arrays[name]) - 1 for name in ("id_offsets", "card_offsets")]
    words = len(arrays["block_unigrams"])
    return (
        set(of_cards) == {cards}
        and {len(arrays[name]) - 1 for name in WORD_OFFSETS} == {words}
        and len(arrays["term_frequencies"]) == len(arrays["term_postings"]) <= tokens
        and len(arrays["card_signals"]) <= cards * most
    )


@njit(cache=True)
def _spans(
    block_offsets, block_unigrams, repeated_offsets, repeated_seconds, repeated_ends,
    single_offsets, single_seconds, cards, keys,
):  # fmt: skip
    """The keys that have a list, by rising length and key; the lists' starts, ends and IDF."""
    found = np.empty(len(keys), np.uint64)
    starts, ends = np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
    size = 0
    for i in range(len(keys)):
        start, end = _span(
            block_offsets, block_unigrams, repeated_offsets, repeated_seconds, repeated_ends,
            single_offsets, single_seconds, keys[i],
        )  # fmt: skip
        if end == start:
            continue
        at, length = size, end - start
        while at > 0 and (ends[at - 1] - starts[at - 1], found[at - 1]) > (length, keys[i]):
            found[at], starts[at], ends[at] = found[at - 1], starts[at - 1], ends[at - 1]
            at -= 1
        found[at], starts[at], ends[at] = keys[i], start, end
        size += 1
    idf = np.empty(size)
    for i in range(size):
        idf[i] = _idf(cards, ends[i] - starts[i])
    return found[:size], starts[:size], ends[:size], idf


@njit(cache=True)
def _span(
    block_offsets, block_unigrams, repeated_offsets, repeated_seconds, repeated_ends,
    single_offsets, single_seconds, key,
):  # fmt: skip
    """Where a key's list starts and ends; both 0 where it has none."""
    first = np.int64(key >> np.uint64(FIRST_SHIFT))
    second = np.int64(key & np.uint64(SECOND_MASK)) - 1
    block, end = block_offsets[first], block_offsets[first + 1]
    unigrams = np.int64(block_unigrams[first])
    if second < 0:
        return block, block + unigrams
    low, high = repeated_offsets[first], repeated_offsets[first + 1]
    row = _row_of(repeated_seconds, low, high, second)
    if row >= 0:
        before = unigrams if row == low else np.int64(repeated_ends[row - 1])
        return block + before, block + np.int64(repeated_ends[row])
    low, high = single_offsets[first], single_offsets[first + 1]
    row = _row_of(single_seconds, low, high, second)
    if row >= 0:
        return end - (high - row), end - (high - row) + 1
    return np.int64(0), np.int64(0)


@njit(cache=True)
def _row_of(seconds, low, high, second):
    """The row of `seconds[low:high]`, which rise, that holds `second`, or -1."""
    end = high
    while low < high:
        middle = (low + high) // 2
        if seconds[middle] < second:
            low = middle + 1
        else:
            high = middle
    return low if low < end and seconds[low] == second else -1
