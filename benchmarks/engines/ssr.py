"""SSR itself: pruned, with every candidate scored, and the least that it could do."""

from collections.abc import Callable

from agent_discovery.retrieval.isi import InvertedSignalIndex, Lists
from agent_discovery.retrieval.pruned import SsrPruned
from agent_discovery.retrieval.structural import Ssr
from benchmarks import query_latency

Search = Callable[[str], list[tuple[int, float]]]


def touch_all(index: InvertedSignalIndex) -> Callable[[Lists], int]:
    """Read every posting of a query once: the least that a search without pruning could do.

    The query's lists are given: looking them up is timed apart.
    """
    postings = index.arrays["postings"]
    return lambda lists: query_latency.touch_all(postings, lists.starts, lists.ends)


def exhaustive(index: InvertedSignalIndex, k: int) -> Search:
    """The form that scores every candidate."""
    return _by_top(Ssr(index), index, k)


def fastest(index: InvertedSignalIndex, k: int) -> tuple[str, Search]:
    """The name and the search of the pruned form."""
    return "pruned", _by_top(SsrPruned(index), index, k)


def _by_top(retriever: Ssr | SsrPruned, index: InvertedSignalIndex, k: int) -> Search:
    order = index.tie_order("paper")

    def search(query: str) -> list[tuple[int, float]]:
        top = retriever.top(query, k, order)
        return list(zip(top.cards.tolist(), top.scores.tolist(), strict=True))

    return search
