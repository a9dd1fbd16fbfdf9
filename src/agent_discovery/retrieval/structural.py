"""The structural methods of RQ2: SSR, Structural Overlap + ISI, and Structural + IDF by full scan.

All three score a card from the set of query signals that it holds, kept as a mask: bit j stands for
the j-th list of `isi.Lists`. Weights are added from bit 0 up, that is by falling IDF.
"""

from collections.abc import Sequence

import numpy as np

from agent_discovery.retrieval.compiling import njit
from agent_discovery.retrieval.isi import InvertedSignalIndex, Lists
from agent_discovery.retrieval.ranking import Scored, Top, best_of, tops
from agent_discovery.retrieval.scan import scanned
from agent_discovery.retrieval.top_cards import exhaustive

WINDOW_CARDS = 1 << 16
TABLE_BITS = 12


class Ssr:
    """SSR (section III): signals, IDF weights, and the ISI to score only the cards that match.

    This is the exhaustive form: every candidate gets its full score. Work is linear in the
    postings of the query's signals. Safe in threads, as the index is only read.
    """

    def __init__(self, index: InvertedSignalIndex):
        self.index = index

    def score(self, query: str) -> Scored:
        """Score every card that shares a signal with the query."""
        lists = self.index.signal_lists(query)
        cards, masks = self._matches(lists)
        return Scored(cards, *weigh_masks(masks, self._weights(lists)))

    def top(self, query: str, k: int, tie_order: np.ndarray) -> Top:
        """The first k cards, and |C_q|: every candidate is scored, and only the first are kept."""
        return self.search(self.index.signal_lists(query), k, tie_order)

    def search(self, lists: Lists, k: int, tie_order: np.ndarray) -> Top:
        """The same from the query's `index.signal_lists`."""
        depth = min(k, _at_most(lists, self.index.cards))
        (top,) = tops(
            exhaustive(
                self.index.arrays["postings"], lists.starts, lists.ends, self._weights(lists),
                tie_order, depth,
            )
        )  # fmt: skip
        return top

    def _weights(self, lists: Lists) -> np.ndarray:
        return lists.idf

    def _matches(self, lists: Lists) -> tuple[np.ndarray, np.ndarray]:
        return _matches_by_list(
            self.index.arrays["postings"],
            lists.starts,
            lists.ends,
            _window(lists, self.index.cards),
            self.index.cards,
            _at_most(lists, self.index.cards),
        )


class Overlap(Ssr):
    """Structural Overlap + ISI: each matched signal weighs 1, which isolates the effect of IDF."""

    def _weights(self, lists: Lists) -> np.ndarray:
        return np.ones(len(lists.keys))


class FullScan(Ssr):
    """Structural + IDF (full scan): looks at every card's signals, with no inverted list involved.

    Work is linear in the signals of all cards, which count as visited.
    """

    def search(self, lists: Lists, k: int, tie_order: np.ndarray) -> Top:
        """The first k cards of a scan for this query alone, as the paper times it."""
        cards, masks = self._matches(lists)
        scored = Scored(cards, *weigh_masks(masks, lists.idf))
        return self._counted(best_of(scored, tie_order, k))

    def top_many(self, queries: Sequence[str], k: int, tie_order: np.ndarray) -> list[Top]:
        """The first k cards for each query, by one scan for all of them."""
        lists = [self.index.signal_lists(query) for query in queries]
        keys = np.concatenate([one.keys for one in lists] or [np.empty(0, np.uint64)])
        if len(keys) == 0:
            return [self.top(query, k, tie_order) for query in queries]
        distinct, number = np.unique(keys, return_inverse=True)
        weights = np.zeros((len(lists), max(len(one.keys) for one in lists)))
        for row, one in zip(weights, lists, strict=True):
            row[: len(one.idf)] = one.idf
        by_key = np.argsort(number, kind="stable")
        owners = np.repeat(np.arange(len(lists)), [len(one.keys) for one in lists])
        bits = np.concatenate([np.arange(len(one.keys)) for one in lists])
        found = scanned(
            self.index.arrays["card_signals"], self.index.arrays["card_offsets"], distinct,
            np.searchsorted(number[by_key], np.arange(len(distinct) + 1)),
            owners[by_key], bits[by_key], weights, tie_order, min(k, self.index.cards),
        )  # fmt: skip
        return [self._counted(top) for top in tops(found)]

    def _counted(self, top: Top) -> Top:
        return top._replace(scored=self.index.cards, visited=len(self.index.arrays["card_signals"]))

    def _matches(self, lists: Lists) -> tuple[np.ndarray, np.ndarray]:
        order = np.argsort(lists.keys)
        arrays = self.index.arrays
        return _matches_by_card(
            arrays["card_signals"], arrays["card_offsets"], lists.keys[order], order
        )


def _at_most(lists: Lists, cards: int) -> int:
    """How many candidates there can be."""
    return min(int((lists.ends - lists.starts).sum()), cards)


def _window(lists: Lists, cards: int) -> np.ndarray:
    """A mask for each card of a window, all zero, as narrow as the lists allow.

    Its bytes are read eight at a time, so the number of masks is a multiple of that.
    """
    places = min(WINDOW_CARDS, -(-cards // 8) * 8)
    return np.zeros(max(8, places), np.min_scalar_type((1 << len(lists.keys)) - 1))


def weigh_masks(masks: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each mask's score (float64, weights added from bit 0 up) and matched count (int64)."""
    return _weighed(masks, weights, _score_table(weights), _score_table(np.ones(len(weights))))


@njit(cache=True, nogil=True)
def _score_table(weights):
    """The score of each mask of the first lists (`TABLE_BITS` at most), added from bit 0 up."""
    bits = min(len(weights), TABLE_BITS)
    table = np.zeros(1 << bits)
    for j in range(bits):
        for mask in range(1 << j):
            table[mask | (1 << j)] = table[mask] + weights[j]
    return table


@njit(cache=True, nogil=True)
def _weighed(masks, weights, score_of, count_of):
    """score_of, count_of: of each mask of the first `TABLE_BITS` lists."""
    scores = np.empty(len(masks))
    matched = np.empty(len(masks), np.int64)
    low_bits = np.uint64(len(score_of) - 1)
    for i in range(len(masks)):
        mask = np.uint64(masks[i])
        score = score_of[mask & low_bits]
        count = np.int64(count_of[mask & low_bits])
        if mask > low_bits:
            for j in range(TABLE_BITS, len(weights)):
                if (mask >> np.uint64(j)) & np.uint64(1):
                    score += weights[j]
                    count += 1
        scores[i], matched[i] = score, count
    return scores, matched


@njit(cache=True, nogil=True)
def _matches_by_list(postings, starts, ends, block, cards, most):
    """The cards on any of the lists, rising, and each one's mask; a block of cards at a time."""
    found = np.empty(most, np.uint32)
    masks = np.empty(most, block.dtype)
    words = block.view(np.uint64)
    width = len(block) // len(words)
    at = starts.copy()
    size = 0
    for first in range(0, cards, len(block)):
        last = min(first + len(block), cards)
        touched = False
        for j in range(len(at)):
            bit = block.dtype.type(1 << j)
            i, end = at[j], ends[j]
            while i < end and postings[i] < last:
                block[postings[i] - first] |= bit
                i += 1
            touched |= i > at[j]
            at[j] = i
        if not touched:
            continue
        for word in range(len(words)):
            if words[word] == 0:
                continue
            for place in range(word * width, (word + 1) * width):
                if block[place] != 0:
                    found[size], masks[size] = first + place, block[place]
                    size += 1
            words[word] = 0
    return found[:size], masks[:size]


@njit(cache=True, nogil=True)
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
