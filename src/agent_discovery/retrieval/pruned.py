"""SSR with exact pruning: the first K cards, without a score for every candidate.

A list adds the same IDF to each of its cards, so what a card can still gain is known beforehand.
Lists are opened by falling IDF. A card of an opened list is looked up in the lists after it, for as
long as it can still reach the K-th best so far; and once a card that is in none of the lists opened
so far cannot reach it, no further list is opened. What is returned is what the exhaustive form
returns, bit by bit: weights are added in the same order, by falling IDF, and a card is given up
only if it falls short by more than any rounding could make up, so that ties are always decided by
the rank rule (SSR, section III-C).
"""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numba import njit

from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.ranking import Top

# Sums of at most 64 positive doubles in any order differ by less than this, relatively.
SURELY_LESS = 1 - 1e-12
PARTS = ("starts", "ends", "idf")


class SsrPruned:
    """SSR (section III) by a search that gives up what cannot be among the first K.

    Safe in threads: the index is only read, and a call has all its working memory to itself.
    """

    def __init__(self, index: InvertedSignalIndex):
        self.index = index
        self._order: tuple[np.ndarray | None, bool] = (None, False)

    def top(self, query: str, k: int, tie_order: np.ndarray) -> Top:
        """The first k cards for a query; tie_order: `index.tie_order(...)`."""
        return self.top_many([query], k, tie_order)[0]

    def top_many(self, queries: Sequence[str], k: int, tie_order: np.ndarray) -> list[Top]:
        """The first k cards for each query, in one compiled call."""
        lists = [self.index.signal_lists(query) for query in queries]
        if not lists:
            return []
        starts, ends, idf = (_joined([getattr(one, name) for one in lists]) for name in PARTS)
        bounds = np.array(list(accumulate((len(one.keys) for one in lists), initial=0)))
        depth = min(k, self.index.cards, int((ends - starts).sum()))
        cards, scores, matched, found, opened = _top_many(
            self.index.arrays["postings"], starts, ends, idf, bounds, tie_order,
            self._rises(tie_order), depth,
        )  # fmt: skip
        return [
            Top(cards[i, :n], scores[i, :n], matched[i, :n], count)
            for i, (n, count) in enumerate(zip(found.tolist(), opened.tolist(), strict=True))
        ]

    def _rises(self, tie_order: np.ndarray) -> bool:
        """Whether ties are broken by rising card number; remembered for the order used last."""
        order, rises = self._order
        if order is not tie_order:
            rises = bool(np.all(tie_order[1:] > tie_order[:-1]))
            self._order = (tie_order, rises)
        return rises


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


@njit(cache=True, nogil=True)
def _top_many(postings, starts, ends, idf, bounds, tie_order, rises, k):
    """`_top` of each query; its lists are those from `bounds[i]` to `bounds[i + 1]`.

    Returns cards (uint32), scores (float64) and matched (int64), each (queries, k); how many were
    found, and how many cards were opened (int64, (queries,)).
    """
    queries = len(bounds) - 1
    cards = np.empty((queries, k), np.uint32)
    scores = np.empty((queries, k), np.float64)
    matched = np.empty((queries, k), np.int64)
    ties = np.empty(k, np.int64)
    found = np.zeros(queries, np.int64)
    opened = np.zeros(queries, np.int64)
    for i in range(queries):
        first, last = bounds[i], bounds[i + 1]
        if first < last and k > 0:
            found[i], opened[i] = _top(
                postings, starts[first:last], ends[first:last], idf[first:last], tie_order,
                rises, k, scores[i], matched[i], ties, cards[i],
            )  # fmt: skip
    return cards, scores, matched, found, opened


@njit(cache=True, nogil=True)
def _top(postings, starts, ends, idf, tie_order, rises, k, scores, matched, ties, cards):
    """Fill the rows of a query, best first; return how many there are and how many cards opened.

    The rows are a heap with the worst at its root until they are sorted at the end.
    """
    lists = len(starts)
    gain = np.zeros(lists + 1)  # what the lists from j on add up to
    for j in range(lists - 1, -1, -1):
        gain[j] = gain[j + 1] + idf[j]
    at = np.empty(lists, np.int64)
    stride = np.empty(lists, np.int64)
    size, opened = 0, 0
    least = -1.0  # below it, a card is surely not among the first k
    for j in range(lists):
        if gain[j] < least:
            break
        for other in range(j + 1, lists):
            at[other] = starts[other]
            ratio = (ends[other] - starts[other]) // (ends[j] - starts[j])
            stride[other] = max(1, ratio)
        last = j == lists - 1
        for i in range(starts[j], ends[j]):
            card = postings[i]
            score = idf[j]
            count = 1
            opened += 1
            other = j + 1
            while other < lists and score + gain[other] >= least:
                # The first place in the other list that is not before this card: steps that grow,
                # then halving. Cards rise, so it is never before the place found last.
                place, end = at[other], ends[other]
                if place < end and postings[place] < card:
                    step = stride[other]
                    low = place
                    place += step
                    while place < end and postings[place] < card:
                        low = place
                        step += step
                        place += step
                    place = min(place, end)
                    while place - low > 1:
                        middle = (low + place) >> 1
                        if postings[middle] < card:
                            low = middle
                        else:
                            place = middle
                    at[other] = place
                if place < end and postings[place] == card:
                    score += idf[other]
                    count += 1
                other += 1
            if other < lists:
                continue
            # In the last list all cards have this score: those to come are no better.
            if size == k and (score < scores[0] or (score == scores[0] and count < matched[0])):
                if last:
                    break
                continue
            tie = np.int64(tie_order[card])
            if size == k and not _worse(scores[0], matched[0], ties[0], score, count, tie):
                if last and rises:
                    break
                continue
            # A card that is in a list opened before has had its whole score there.
            if _in_any(postings, starts, ends, j, card):
                continue
            if size < k:
                size += 1
                _sift_up(scores, matched, ties, cards, size - 1, score, count, tie, card)
            else:
                _sift_down(scores, matched, ties, cards, size, score, count, tie, card)
            if size == k:
                least = scores[0] * SURELY_LESS
                if gain[j] < least:
                    break
    _sort(scores, matched, ties, cards, size)
    return size, opened


@njit(cache=True, nogil=True)
def _in_any(postings, starts, ends, lists, card):
    """Whether one of the first `lists` lists holds the card."""
    for j in range(lists):
        low, high = starts[j], ends[j]
        while low < high:
            middle = (low + high) >> 1
            if postings[middle] < card:
                low = middle + 1
            else:
                high = middle
        if low < ends[j] and postings[low] == card:
            return True
    return False


@njit(cache=True, nogil=True)
def _worse(score, count, tie, other_score, other_count, other_tie):
    """Whether a row ranks after another: by score, matched count, then the order of ties."""
    if score != other_score:
        return score < other_score
    if count != other_count:
        return count < other_count
    return tie > other_tie


@njit(cache=True, nogil=True)
def _sift_up(scores, matched, ties, cards, hole, score, count, tie, card):
    """Put a row into the heap, from the free place `hole` at its end upwards."""
    while hole > 0:
        above = (hole - 1) >> 1
        if _worse(scores[above], matched[above], ties[above], score, count, tie):
            break
        _move(scores, matched, ties, cards, above, hole)
        hole = above
    scores[hole], matched[hole], ties[hole], cards[hole] = score, count, tie, card


@njit(cache=True, nogil=True)
def _sift_down(scores, matched, ties, cards, size, score, count, tie, card):
    """Put a row into the heap of some size in place of its root, the worst row."""
    hole = 0
    while 2 * hole + 1 < size:
        below = 2 * hole + 1
        right = min(below + 1, size - 1)
        if _worse(
            scores[right], matched[right], ties[right], scores[below], matched[below], ties[below]
        ):
            below = right
        if _worse(score, count, tie, scores[below], matched[below], ties[below]):
            break
        _move(scores, matched, ties, cards, below, hole)
        hole = below
    scores[hole], matched[hole], ties[hole], cards[hole] = score, count, tie, card


@njit(cache=True, nogil=True)
def _move(scores, matched, ties, cards, source, target):
    scores[target], matched[target] = scores[source], matched[source]
    ties[target], cards[target] = ties[source], cards[source]


@njit(cache=True, nogil=True)
def _sort(scores, matched, ties, cards, size):
    """Turn the heap into rows, best first: the worst goes to the end, again and again."""
    for last in range(size - 1, 0, -1):
        score, count, tie, card = scores[last], matched[last], ties[last], cards[last]
        _move(scores, matched, ties, cards, 0, last)
        _sift_down(scores, matched, ties, cards, last, score, count, tie, card)
