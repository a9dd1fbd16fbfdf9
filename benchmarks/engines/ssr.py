"""SSR itself, by whichever of its forms the package has."""

from collections.abc import Callable
from importlib import import_module, util

import numpy as np
from numba import njit

from agent_discovery.retrieval.isi import InvertedSignalIndex, Lists
from agent_discovery.retrieval.ranking import best
from agent_discovery.retrieval.structural import Ssr

PRUNED = ("agent_discovery.retrieval.pruned", "SsrPruned")
Search = Callable[[str], list[tuple[int, float]]]


@njit(cache=True, nogil=True)
def _touch_all(postings, starts, ends):
    total = np.uint64(0)
    for j in range(len(starts)):
        for i in range(starts[j], ends[j]):
            total += np.uint64(postings[i])
    return total


def touch_all(index: InvertedSignalIndex) -> Callable[[Lists], int]:
    """Read every posting of a query once: the least that a search without pruning could do.

    The query's lists are given: looking them up is timed apart.
    """
    postings = index.arrays["postings"]
    return lambda lists: _touch_all(postings, lists.starts, lists.ends)


def exhaustive(index: InvertedSignalIndex, k: int) -> Search:
    """The form that scores every candidate."""
    ssr, order = Ssr(index), index.tie_order("paper")
    if hasattr(ssr, "top"):
        return _by_top(ssr, order, k)

    def search(query: str) -> list[tuple[int, float]]:
        scored = ssr.score(query)
        first = best(scored, order, k)
        return list(zip(scored.cards[first].tolist(), scored.scores[first].tolist(), strict=True))

    return search


def fastest(index: InvertedSignalIndex, k: int) -> tuple[str, Search]:
    """The name and the search of the pruned form, or of the exhaustive one where there is none."""
    module, name = PRUNED
    if util.find_spec(module) is None:
        return "exhaustive", exhaustive(index, k)
    retriever = getattr(import_module(module), name)(index)
    return "pruned", _by_top(retriever, index.tie_order("paper"), k)


def _by_top(retriever, order: np.ndarray, k: int) -> Search:
    def search(query: str) -> list[tuple[int, float]]:
        top = retriever.top(query, k, order)
        return list(zip(top.cards.tolist(), top.scores.tolist(), strict=True))

    return search
