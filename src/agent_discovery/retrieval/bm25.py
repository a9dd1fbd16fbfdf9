"""BM25 by SQLite FTS5's own operations on doubles, in their order: one formula for every engine.

`native` serves a whole index from the index's own unigram lists, where an FTS5 table would take
long to build and to ask; its scores equal FTS5's to the last bit, and so do ties and order.
"""

import math

import numpy as np
from numba import njit

from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.ranking import Scored, nothing_scored
from agent_discovery.signals import tokens

# FTS5's two parameters, and its IDF of a term that half the cards hold.
K1, B = 1.2, 0.75
LEAST_IDF = 1e-6
WINDOW_CARDS = 1 << 16


def term_idf(cards: int, document_frequency: int) -> float:
    """ln((N - df + 0.5) / (df + 0.5)), never below `LEAST_IDF`."""
    idf = math.log((cards - document_frequency + 0.5) / (document_frequency + 0.5))
    return idf if idf > 0 else LEAST_IDF


def length_norms(lengths: np.ndarray) -> np.ndarray:
    """k1 · (1 - b + b · length / mean length) of each card, float64; lengths: float64."""
    with np.errstate(invalid="ignore"):  # cards that are all empty hold no term
        return K1 * (1 - B + B * lengths / (lengths.sum() / max(1, len(lengths))))


def saturation(frequency, norm):
    """f · (k1 + 1) / (f + norm), of numbers or of arrays of float64."""
    return frequency * (K1 + 1) / (frequency + norm)


def card_lengths(index: InvertedSignalIndex) -> np.ndarray:
    """Each card's count of tokens, repeated ones too. Shape (cards,), float64."""
    arrays = index.arrays
    return _lengths(arrays["term_postings"], arrays["term_frequencies"], index.cards)


class Bm25Native:
    """BM25 on a whole index: each distinct query term once, OR-ed, as `lexical.Bm25` does.

    Opening takes one pass over the index's unigram postings and 8 bytes a card. Safe in threads.
    """

    def __init__(self, index: InvertedSignalIndex):
        self.index = index
        self._norms = length_norms(card_lengths(index))

    def score(self, query: str) -> Scored:
        """Score every card that holds a query term; weights are added in the query's order."""
        arrays = self.index.arrays
        numbers = self.index.vocabulary.find_all(list(dict.fromkeys(tokens(query))))
        known = np.array([number for number in numbers if number >= 0], np.int64)
        if len(known) == 0:
            return nothing_scored()
        starts, ends = (arrays["term_offsets"][known + side] for side in (0, 1))
        sizes = (ends - starts).tolist()
        idf = np.array([term_idf(self.index.cards, size) for size in sizes])
        cards, scores = _sums(
            arrays["term_postings"], arrays["term_frequencies"], starts, ends, idf, self._norms,
            min(sum(sizes), self.index.cards),
        )  # fmt: skip
        return Scored(cards, scores, np.zeros(len(cards), np.int64))


_saturation = njit(cache=True, nogil=True)(saturation)


@njit(cache=True, nogil=True)
def _lengths(postings, frequencies, cards):
    lengths = np.zeros(cards)
    for i in range(len(postings)):
        lengths[postings[i]] += frequencies[i]
    return lengths


@njit(cache=True, nogil=True)
def _sums(postings, frequencies, starts, ends, idf, norms, most):
    """Cards on any list, rising, and their scores (float64); a window of cards at a time."""
    found, scores = np.empty(most, np.uint32), np.empty(most)
    cards = len(norms)
    sums = np.zeros(min(WINDOW_CARDS, cards))
    at = starts.copy()
    size = 0
    for first in range(0, cards, WINDOW_CARDS):
        last = min(first + WINDOW_CARDS, cards)
        touched = False
        for j in range(len(at)):
            i = at[j]
            while i < ends[j] and postings[i] < last:
                weight = _saturation(np.float64(frequencies[i]), norms[postings[i]])
                sums[postings[i] - first] += idf[j] * weight
                i += 1
            touched |= i > at[j]
            at[j] = i
        if not touched:
            continue
        for place in range(last - first):
            if sums[place] != 0:
                found[size], scores[size] = first + place, sums[place]
                sums[place] = 0
                size += 1
    return found[:size], scores[:size]
