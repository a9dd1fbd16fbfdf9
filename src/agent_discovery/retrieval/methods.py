"""The retrieval methods by name, and running one over many queries."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from tqdm import tqdm

from agent_discovery.files import rows_table
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.lexical import TfIdf, open_bm25
from agent_discovery.retrieval.pruned import SsrPruned
from agent_discovery.retrieval.ranking import Scored, Top, best, best_of, identical, tie_span, tied
from agent_discovery.retrieval.structural import FullScan, Overlap, Ssr

RUN_SCHEMA = pa.schema(
    [
        ("qid", pa.string()),
        ("id", pa.string()),
        ("rank", pa.int32()),
        ("score", pa.float64()),
        ("matched", pa.int32()),
    ]
)
CANDIDATES_SCHEMA = pa.schema(
    [("qid", pa.string()), ("candidates", pa.int64()), ("last_tied", pa.bool_())]
)
TIES_SCHEMA = pa.schema(
    [("qid", pa.string()), ("id", pa.string()), ("above", pa.int64()), ("tied", pa.int64())]
)


class Retriever(Protocol):
    """Anything that scores the cards of an index for a query."""

    def score(self, query: str) -> Scored:
        """The candidate set, scored."""


@dataclass(frozen=True)
class Method:
    """A retrieval method: its name in tables, and how to open it."""

    name: str
    open: Callable[[InvertedSignalIndex, Path], Retriever]  # the index, and BM25's folder


METHODS: Mapping[str, Method] = {
    "tfidf": Method("TF-IDF", lambda index, bm25: TfIdf(index)),
    "bm25": Method("BM25", open_bm25),
    "overlap": Method("Structural Overlap + ISI", lambda index, bm25: Overlap(index)),
    "full_scan": Method("Structural + IDF (full scan)", lambda index, bm25: FullScan(index)),
    "ssr": Method("SSR", lambda index, bm25: Ssr(index)),
}
# What returns the same cards as a method of Table III in another way; timed beside it.
SSR_PRUNED = "SSR (pruned)"
FULL_SCAN_BATCH = "Structural + IDF (full scan, all queries in one pass)"
FORMS_COLUMNS = (
    "method",
    "baseline",
    "queries",
    "identical",
    "identical_share",
    "mean_scored",
    "mean_visited",
    "baseline_mean_scored",
    "baseline_mean_visited",
)


class Retrieved(NamedTuple):
    """What a method returned for a list of queries; every query is in `candidates`.

    run: `RUN_SCHEMA`, the pool of each query; candidates: `CANDIDATES_SCHEMA`, cards scored,
    and whether the first card left out ties with the last one returned;
    ties: `TIES_SCHEMA`, for each relevant card that was scored, the cards above it in any order of
    ties, and the cards (itself too) that tie with it.
    """

    run: pa.Table
    candidates: pa.Table
    ties: pa.Table


def retrieve(
    retriever: Retriever,
    index: InvertedSignalIndex,
    queries: Sequence[tuple[str, str]],
    relevant: Mapping[str, Iterable[str]],
    k: int,
    tie_break: str,
) -> Retrieved:
    """Run `retriever` over (qid, text) pairs and keep the first k cards of each."""
    order = index.tie_order(tie_break)
    run, candidates, ties = [], [], []
    for qid, text in tqdm(queries, desc="queries", disable=None, delay=2):
        scored = retriever.score(text)
        first = best(scored, order, k + 1)
        candidates.append((qid, len(scored.cards), tied(scored, first[k - 1 : k + 1])))
        for rank, position in enumerate(first[:k], start=1):
            card = index.id_of(scored.cards[position])
            run.append((qid, card, rank, scored.scores[position], scored.matched[position]))
        for card_id in relevant.get(qid, ()):
            card = index.card_of(card_id)
            span = None if card is None else tie_span(scored, card)
            if span is not None:
                ties.append((qid, card_id, *span))
    return Retrieved(
        rows_table(run, RUN_SCHEMA),
        rows_table(candidates, CANDIDATES_SCHEMA),
        rows_table(ties, TIES_SCHEMA),
    )


class Found(NamedTuple):
    """What a query's retrieval returned: card ids, best first, and how many cards it scored."""

    ids: list[str]
    scored: int


def searcher(
    retriever: Retriever | SsrPruned, index: InvertedSignalIndex, k: int, tie_break: str
) -> Callable[[str], Found]:
    """The whole of a query's retrieval, text to ranked card ids, as one call."""
    order = index.tie_order(tie_break)
    top = getattr(retriever, "top", None)

    def search(query: str) -> Found:
        first = top(query, k, order) if top else best_of(retriever.score(query), order, k)
        return _found(index, first)

    return search


def counting(search: Callable[[str], Found], counts: dict[str, int]) -> Callable[[str], Found]:
    """The same search, which notes in `counts` how many cards it scored for each query."""

    def counted(query: str) -> Found:
        found = search(query)
        counts[query] = found.scored
        return found

    return counted


def batch_searcher(
    retriever: FullScan | SsrPruned, index: InvertedSignalIndex, k: int, tie_break: str
) -> Callable[[Sequence[str]], list[Found]]:
    """The same for many queries in one call."""
    order = index.tie_order(tie_break)

    def search(queries: Sequence[str]) -> list[Found]:
        return [_found(index, first) for first in retriever.top_many(queries, k, order)]

    return search


def _found(index: InvertedSignalIndex, first: Top) -> Found:
    return Found([index.id_of(card) for card in first.cards], first.scored)


def search_forms(
    index: InvertedSignalIndex, queries: Sequence[str], k: int, tie_break: str
) -> list[tuple]:
    """How the pruned search and the scan of all queries at once compare with exhaustive SSR.

    Rows of `FORMS_COLUMNS`; a query counts as identical where both return the same cards in the
    same order, with the same scores to the last bit and the same matched counts.
    """
    order = index.tie_order(tie_break)
    ssr = [Ssr(index).top(query, k, order) for query in queries]
    forms = {
        SSR_PRUNED: SsrPruned(index).top_many(queries, k, order),
        FULL_SCAN_BATCH: FullScan(index).top_many(queries, k, order),
    }
    rows = []
    for name, tops in forms.items():
        same = sum(map(identical, tops, ssr))
        shares = (len(ssr), same, same / len(ssr))
        rows.append((name, METHODS["ssr"].name, *shares, *_mean_work(tops), *_mean_work(ssr)))
    return rows


def _mean_work(tops: Sequence[Top]) -> tuple[float, float]:
    """Mean cards scored, and mean postings (or signals of cards) visited."""
    return fmean(top.scored for top in tops), fmean(top.visited for top in tops)


def growth_sizes(cards: int) -> list[int]:
    """Registry sizes of about 1, 2 and 5 times the powers of ten from 10 up, and all cards."""
    steps = [factor * 10**power for power in range(1, 10) for factor in (1, 2, 5)]
    return [size for size in steps if size < cards] + [cards]


def candidates_by_size(
    retriever: Retriever, queries: Sequence[str], sizes: Sequence[int], place: np.ndarray
) -> list[tuple[int, float]]:
    """Mean candidates per query in nested registries of some sizes: (size, mean).

    place: each card's place in the order in which the registry grows; the registry of size n is
    the cards at places below n. A card's signals do not depend on the rest of the registry, so its
    being a candidate does not either.
    """
    totals = dict.fromkeys(sizes, 0)
    for query in queries:
        places = place[retriever.score(query).cards]
        for size in sizes:
            totals[size] += int((places < size).sum())
    return [(size, total / len(queries)) for size, total in totals.items()]
