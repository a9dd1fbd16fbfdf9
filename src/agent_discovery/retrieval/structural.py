"""The structural methods of RQ2: SSR, Structural Overlap + ISI, and Structural + IDF by full scan.

All three score a card from the set of query signals that it holds, kept as a 64-bit mask: bit j
stands for the j-th list of `isi.Lists`. Weights are added from bit 0 up, that is by falling IDF.
"""

import numpy as np
from numba import njit

from agent_discovery.retrieval.isi import InvertedSignalIndex, Lists
from agent_discovery.retrieval.ranking import Scored

BLOCK_CARDS = 1 << 16


class Ssr:
    """SSR (section III): signals, IDF weights, and the ISI to score only the cards that match.

    This is the exhaustive form: every candidate gets its full score. Work is linear in the
    postings of the query's signals.
    """

    def __init__(self, index: InvertedSignalIndex):
        self.index = index

    def score(self, query: str) -> Scored:
        """Score every card that shares a signal with the query."""
        lists = self.index.signal_lists(query)
        return self._weigh(lists, *self._matches(lists))

    def _matches(self, lists: Lists) -> tuple[np.ndarray, np.ndarray]:
        postings = self.index.arrays["postings"]
        most = min(int((lists.ends - lists.starts).sum()), self.index.cards)
        return _matches_by_list(postings, lists.starts, lists.ends, self.index.cards, most)

    def _weigh(self, lists: Lists, cards: np.ndarray, masks: np.ndarray) -> Scored:
        return Scored(cards, *weigh_masks(masks, lists.idf))


class Overlap(Ssr):
    """Structural Overlap + ISI: each matched signal weighs 1, which isolates the effect of IDF."""

    def _weigh(self, lists: Lists, cards: np.ndarray, masks: np.ndarray) -> Scored:
        return Scored(cards, *weigh_masks(masks, np.ones(len(lists.idf))))


class FullScan(Ssr):
    """Structural + IDF (full scan): looks at every card's signals, with no inverted list involved.

    Work is linear in the signals of all cards.
    """

    def _matches(self, lists: Lists) -> tuple[np.ndarray, np.ndarray]:
        order = np.argsort(lists.keys)
        arrays = self.index.arrays
        return _matches_by_card(
            arrays["card_signals"], arrays["card_offsets"], lists.keys[order], order
        )


@njit(cache=True)
def _matches_by_list(postings, starts, ends, cards, most):
    """The cards on any of the lists, rising, and each one's mask; a block of cards at a time."""
    found = np.empty(most, np.uint32)
    masks = np.empty(most, np.uint64)
    block = np.zeros(min(BLOCK_CARDS, cards), np.uint64)
    nexts = starts.copy()
    size = 0
    for first in range(0, cards, BLOCK_CARDS):
        last = min(first + BLOCK_CARDS, cards)
        touched = False
        for j in range(len(nexts)):
            bit = np.uint64(1) << np.uint64(j)
            i = nexts[j]
            while i < ends[j] and postings[i] < last:
                block[postings[i] - first] |= bit
                i += 1
            touched |= i > nexts[j]
            nexts[j] = i
        if not touched:
            continue
        for card in range(first, last):
            if block[card - first] != 0:
                found[size] = card
                masks[size] = block[card - first]
                block[card - first] = 0
                size += 1
    return found[:size], masks[:size]


@njit(cache=True)
def _matches_by_card(card_signals, card_offsets, keys, bits):
    """The same by scanning all cards; `keys` rising, key i is bit `bits[i]`."""
    found = np.empty(len(card_offsets) - 1, np.uint32)
    masks = np.empty(len(card_offsets) - 1, np.uint64)
    size = 0
    for card in range(len(card_offsets) - 1):
        mask = np.uint64(0)
        i = 0
        for position in range(card_offsets[card], card_offsets[card + 1]):
            while i < len(keys) and keys[i] < card_signals[position]:
                i += 1
            if i == len(keys):
                break
            if keys[i] == card_signals[position]:
                mask |= np.uint64(1) << np.uint64(bits[i])
        if mask != 0:
            found[size] = card
            masks[size] = mask
            size += 1
    return found[:size], masks[:size]


@njit(cache=True)
def weigh_masks(masks, weights):
    """Each mask's score (float64, weights added from bit 0 up) and matched count (int64)."""
    scores = np.zeros(len(masks))
    matched = np.zeros(len(masks), np.int64)
    for i in range(len(masks)):
        mask = masks[i]
        j = 0
        while mask != 0:
            if mask & np.uint64(1):
                scores[i] += weights[j]
                matched[i] += 1
            mask >>= np.uint64(1)
            j += 1
    return scores, matched
