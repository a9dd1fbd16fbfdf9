"""SSR and BM25 on a registry that is part of an index: its own N, its own df, its own IDF.

A card's signals and terms do not depend on the registry that it is in, so one index over all cards
serves every registry taken from them: posting lists are cut down to the members.
"""

from typing import Protocol

import numpy as np

from agent_discovery.retrieval.bm25 import (
    card_lengths,
    distinct_spans,
    length_norms,
    saturation,
    term_idf,
)
from agent_discovery.retrieval.isi import InvertedSignalIndex, inverse_document_frequency
from agent_discovery.retrieval.ranking import Scored
from agent_discovery.retrieval.structural import weigh_masks


class RegistryRetriever(Protocol):
    """Anything that scores the cards of a registry as if they alone were indexed."""

    def score(self, members: np.ndarray, query: str) -> Scored:
        """The candidate set; members: card numbers, rising and distinct."""


def places_in(members: np.ndarray, postings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which postings are members (bool, as long as `postings`), and the place of those that are."""
    places = np.searchsorted(members, postings)
    places[places == len(members)] = 0
    held = members[places] == postings
    return held, places[held]


class SsrWithin:
    """SSR (section III) on registries taken from an index.

    Work is linear in the query's postings in the whole index and, in the members, n log n.
    """

    def __init__(self, index: InvertedSignalIndex):
        self.index = index

    def score(self, members: np.ndarray, query: str) -> Scored:
        """SSR's candidate set of the query among the members."""
        lists = self.index.signal_lists(query)
        postings = self.index.arrays["postings"]
        held = [
            places_in(members, postings[start:end])[1]
            for start, end in zip(lists.starts, lists.ends, strict=True)
        ]
        # Equal IDF: by key, as in a whole index; `lists` has them by df of all cards: sort anew.
        order = sorted(range(len(held)), key=lambda j: (len(held[j]), lists.keys[j]))
        masks = np.zeros(len(members), np.uint64)
        idf = np.empty(len(held))
        for bit, j in enumerate(order):
            masks[held[j]] |= np.uint64(1) << np.uint64(bit)
            idf[bit] = inverse_document_frequency(len(members), len(held[j]))
        found = np.nonzero(masks)[0]
        return Scored(members[found].astype(np.uint32), *weigh_masks(masks[found], idf))


class Bm25Within:
    """BM25 on registries taken from an index: what FTS5's `bm25()` gives on the registry alone.

    The same operations on doubles in the same order, so scores are equal to the last bit.
    """

    def __init__(self, index: InvertedSignalIndex):
        self.index = index
        self._lengths = card_lengths(index)

    def score(self, members: np.ndarray, query: str) -> Scored:
        """Every member that holds a query term; each distinct term counts once."""
        norms = length_norms(self._lengths[members])
        scores = np.zeros(len(members))
        found = np.zeros(len(members), bool)
        arrays = self.index.arrays
        for start, end in zip(*distinct_spans(self.index, query), strict=True):
            held, places = places_in(members, arrays["term_postings"][start:end])
            frequencies = arrays["term_frequencies"][start:end][held].astype(np.float64)
            weights = saturation(frequencies, norms[places])
            scores[places] += term_idf(len(members), len(places)) * weights
            found[places] = True
        cards = members[found].astype(np.uint32)
        return Scored(cards, scores[found], np.zeros(len(cards), np.int64))
