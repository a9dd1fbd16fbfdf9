"""SSR itself: pruned, with every candidate scored, and the least that it could do."""

from collections.abc import Callable

import numpy as np
from numba import njit

from agent_discovery.retrieval.isi import InvertedSignalIndex, Lists
from agent_discovery.retrieval.pruned import SsrPruned
from agent_discovery.retrieval.ranking import Top
from agent_discovery.retrieval.structural import Ssr


def touch_all(index: InvertedSignalIndex) -> Callable[[Lists], int]:
    """Read every posting of a query once: the least that a search without pruning could do."""
    postings = index.arrays["postings"]
    return lambda lists: _added_up(postings, lists.starts, lists.ends)


@njit(cache=True, nogil=True)
def _added_up(postings, starts, ends):
    total = np.uint64(0)
    for j in range(len(starts)):
        for i in range(starts[j], ends[j]):
            total += np.uint64(postings[i])
    return total


def exhaustive(index: InvertedSignalIndex, k: int) -> Callable[[str], Top]:
    """The form that scores every candidate."""
    form, order = Ssr(index), index.tie_order("paper")
    return lambda query: form.top(query, k, order)


def exhaustive_search(index: InvertedSignalIndex, k: int) -> Callable[[Lists], Top]:
    """The same from a query's lists on."""
    form, order = Ssr(index), index.tie_order("paper")
    return lambda lists: form.search(lists, k, order)


def pruned(index: InvertedSignalIndex, k: int) -> Callable[[str], Top]:
    """The form with pruning."""
    form, order = SsrPruned(index), index.tie_order("paper")
    return lambda query: form.top(query, k, order)


def pruned_search(index: InvertedSignalIndex, k: int) -> Callable[[Lists], Top]:
    """The same from a query's lists on."""
    form, order = SsrPruned(index), index.tie_order("paper")
    return lambda lists: form.search([lists], k, order)[0]
