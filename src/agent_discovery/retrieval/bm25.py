"""BM25 by SQLite FTS5's own operations on doubles, in their order: one formula for every engine.

`Bm25Native` serves a whole index from the index's own unigram lists, where an FTS5 table would take
long to build and to ask; its scores equal FTS5's to the last bit, and so do ties and order. Here
too is the sum over lists of terms that BM25 and TF-IDF share.
"""

import math

import numpy as np

from agent_discovery.retrieval.compiling import njit
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.ranking import Scored
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


def distinct_spans(index: InvertedSignalIndex, query: str) -> tuple[np.ndarray, np.ndarray]:
    """Where the lists (into `term_postings`) of a query's distinct terms start and end.

    In the query's order, int64; terms that no card holds are left out.
    """
    numbers = np.array(index.vocabulary.find_all(list(dict.fromkeys(tokens(query)))), np.int64)
    known = numbers[numbers >= 0]
    offsets = index.arrays["term_offsets"]
    return offsets[known], offsets[known + 1]


class Bm25Native:
    """BM25 on a whole index: each distinct query term once, OR-ed, as `lexical.Bm25` does.

    Opening takes one pass over the index's unigram postings and 8 bytes a card. Safe in threads.
    """

    def __init__(self, index: InvertedSignalIndex):
        self.index = index
        self._norms = length_norms(card_lengths(index))

    def score(self, query: str) -> Scored:
        """Score every card that holds a query term; weights are added in the query's order."""
        starts, ends = distinct_spans(self.index, query)
        idf = np.array([term_idf(self.index.cards, size) for size in (ends - starts).tolist()])
        cards, scores, _ = summed(self.index, starts, ends, idf, self._norms)
        return Scored(cards, scores, np.zeros(len(cards), np.int64))


NO_NORMS = np.empty(0)


def summed(
    index: InvertedSignalIndex,
    starts: np.ndarray,
    ends: np.ndarray,
    weights: np.ndarray,
    norms: np.ndarray = NO_NORMS,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cards on any of some lists of terms, rising; their scores; on how many lists each one is.

    A card's score is the sum of weight · frequency, added in the order of the lists; with `norms`,
    which are one a card, of weight · saturation(frequency, norm). Work is linear in the postings.
    """
    arrays = index.arrays
    most = min(int((ends - starts).sum()), index.cards)
    return _summed(
        arrays["term_postings"], arrays["term_frequencies"], starts, ends, weights, norms,
        index.cards, most,
    )  # fmt: skip


_saturation = njit(cache=True, nogil=True)(saturation)


@njit(cache=True, nogil=True)
def _lengths(postings, frequencies, cards):
    lengths = np.zeros(cards)
    for i in range(len(postings)):
        lengths[postings[i]] += frequencies[i]
    return lengths


@njit(cache=True, nogil=True)
def _summed(postings, frequencies, starts, ends, weights, norms, cards, most):
    """A window of cards at a time."""
    found, scores = np.empty(most, np.uint32), np.empty(most)
    matched = np.empty(most, np.int64)
    window_scores = np.zeros(min(WINDOW_CARDS, cards))
    window_matched = np.zeros(len(window_scores), np.int64)
    at = starts.copy()
    size = 0
    for first in range(0, cards, WINDOW_CARDS):
        last = min(first + WINDOW_CARDS, cards)
        touched = False
        for j in range(len(at)):
            i = at[j]
            while i < ends[j] and postings[i] < last:
                amount = np.float64(frequencies[i])
                if len(norms) > 0:
                    amount = _saturation(amount, norms[postings[i]])
                window_scores[postings[i] - first] += weights[j] * amount
                window_matched[postings[i] - first] += 1
                i += 1
            touched |= i > at[j]
            at[j] = i
        if not touched:
            continue
        for place in range(last - first):
            if window_matched[place] != 0:
                found[size], scores[size] = first + place, window_scores[place]
                matched[size] = window_matched[place]
                window_scores[place], window_matched[place] = 0, 0
                size += 1
    return found[:size], scores[:size], matched[:size]
