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
from operator import attrgetter

import numpy as np

from agent_discovery.retrieval.isi import InvertedSignalIndex, Lists
from agent_discovery.retrieval.ranking import Top, tops
from agent_discovery.retrieval.top_cards import pruned

PARTS = attrgetter("starts", "ends", "idf")


class SsrPruned:
    """SSR (section III) by a search that gives up what cannot be among the first K.

    Safe in threads: the index is only read, and a call has all its working memory to itself.
    """

    def __init__(self, index: InvertedSignalIndex):
        self.index = index
        self._postings = index.arrays["postings"]
        self._order: tuple[np.ndarray | None, bool] = (None, False)

    def top(self, query: str, k: int, tie_order: np.ndarray) -> Top:
        """The first k cards for a query; tie_order: `index.tie_order(...)`."""
        return self.top_many([query], k, tie_order)[0]

    def top_many(self, queries: Sequence[str], k: int, tie_order: np.ndarray) -> list[Top]:
        """The first k cards for each query."""
        return self.search([self.index.signal_lists(query) for query in queries], k, tie_order)

    def search(self, lists: Sequence[Lists], k: int, tie_order: np.ndarray) -> list[Top]:
        """The same from the queries' `index.signal_lists`, in one compiled call."""
        if not lists:
            return []
        return tops(
            pruned(
                self._postings, *_joined(lists), tie_order, self._rises(tie_order),
                min(k, self.index.cards),
            )
        )  # fmt: skip

    def _rises(self, tie_order: np.ndarray) -> bool:
        """Whether ties are broken by rising card number; remembered for the order used last."""
        order, rises = self._order
        if order is not tie_order:
            rises = bool(np.all(tie_order[1:] > tie_order[:-1]))
            self._order = (tie_order, rises)
        return rises


def _joined(lists: Sequence[Lists]) -> tuple[np.ndarray, ...]:
    """Starts, ends and weights of all queries' lists end to end, and where each query's begin."""
    if len(lists) == 1:  # the usual case, without a copy
        (one,) = lists
        return one.starts, one.ends, one.idf, np.array((0, len(one.keys)))
    bounds = np.cumsum([0, *(len(one.keys) for one in lists)])
    return *(np.concatenate(parts) for parts in zip(*map(PARTS, lists), strict=True)), bounds
