"""The Inverted Signal Index, opened from disk: signals, their cards, and their IDF."""

import math
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from agent_discovery.retrieval.arrays import ArrayFolder
from agent_discovery.retrieval.build import FORMAT, VERSION
from agent_discovery.retrieval.keys import keys_of
from agent_discovery.retrieval.vocabulary import SortedStrings
from agent_discovery.signals import signals, tokens


def inverse_document_frequency(cards: int, document_frequency: int) -> float:
    """IDF(s) = ln((N + 1) / (df(s) + 1)) + 1 (SSR, section III-B)."""
    return math.log((cards + 1) / (document_frequency + 1)) + 1


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
    Raises InputError when the folder is not a whole index of this version.
    """

    def __init__(self, folder: str | Path, verify: bool = False):
        self.arrays = ArrayFolder(folder, FORMAT, VERSION)
        if verify:
            self.arrays.verify()
        self.cards = self.arrays.count("cards")
        self.max_signals = self.arrays.count("max_signals")
        self.vocabulary = SortedStrings(self.arrays["token_data"], self.arrays["token_offsets"])
        self._ids = SortedStrings(self.arrays["id_data"], self.arrays["id_offsets"])

    def id_of(self, card: int) -> str:
        """The id of a card number."""
        return self._ids[self.arrays["id_rank"][card]]

    def card_of(self, card_id: str) -> int | None:
        """The number of a card id, or None."""
        place = self._ids.find(card_id)
        return int(self.arrays["id_card"][place]) if place >= 0 else None

    def tie_order(self, tie_break: str) -> np.ndarray:
        """Each card's place in the order that breaks ties (config.tie_break). Shape (cards,)."""
        if tie_break == "authors":
            return self.cards - 1 - self.arrays["id_rank"].astype(np.int64)
        return self.arrays["tie_rank"]

    def signal_lists(self, query: str) -> Lists:
        """The posting lists (into `postings`) of a query's signals that any card holds."""
        keys = keys_of(signals(query, self.max_signals), self.vocabulary)
        if not keys:
            return self._lists([])
        spans = _spans(
            self.arrays["signal_keys"], self.arrays["signal_offsets"], np.array(keys, np.uint64)
        )
        rows = zip(keys, *spans.tolist(), strict=True)
        return self._lists([(key, start, end, 1) for key, start, end in rows if end > start])

    def term_lists(self, query: str) -> Lists:
        """The lists (into `term_postings`) of a query's unigrams, with their multiplicity."""
        offsets = self.arrays["term_offsets"]
        counts = Counter(n for n in self.vocabulary.find_all(tokens(query)) if n >= 0)
        rows = [(n, int(offsets[n]), int(offsets[n + 1]), count) for n, count in counts.items()]
        return self._lists(rows)

    def _lists(self, rows: list[tuple[int, int, int, int]]) -> Lists:
        rows.sort(key=lambda row: (row[2] - row[1], row[0]))
        keys, starts, ends, counts = zip(*rows, strict=True) if rows else ((), (), (), ())
        idf = [inverse_document_frequency(self.cards, row[2] - row[1]) for row in rows]
        return Lists(
            np.array(keys, np.uint64),
            np.array(starts, np.int64),
            np.array(ends, np.int64),
            np.array(idf, np.float64),
            np.array(counts, np.int64),
        )


@njit(cache=True)
def _spans(all_keys, offsets, keys):
    """Where each key's list starts and ends (int64, (2, keys)); an empty span where it has none."""
    spans = np.zeros((2, len(keys)), np.int64)
    for i in range(len(keys)):
        low, high = 0, len(all_keys)
        while low < high:
            middle = (low + high) // 2
            if all_keys[middle] < keys[i]:
                low = middle + 1
            else:
                high = middle
        if low < len(all_keys) and all_keys[low] == keys[i]:
            spans[0, i], spans[1, i] = offsets[low], offsets[low + 1]
    return spans
