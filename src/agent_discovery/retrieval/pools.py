"""The pools that an LLM chooses from: a registry's full catalog, or a retriever's first cards."""

import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from tqdm import tqdm

from agent_discovery.corpora.registries import Registry
from agent_discovery.files import rows_table
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.ranking import best
from agent_discovery.retrieval.within import Bm25Within, RegistryRetriever, SsrWithin

FULL_CATALOG = "Full catalog"
SSR = "SSR"
BM25 = "BM25"
NANOSECONDS_A_MILLISECOND = 1e6

POOLS_SCHEMA = pa.schema(
    [
        ("qid", pa.string()),
        ("n", pa.int32()),
        ("method", pa.string()),
        ("position", pa.int32()),
        ("id", pa.string()),
    ]
)
ROWS_SCHEMA = pa.schema(
    [
        ("qid", pa.string()),
        ("n", pa.int32()),
        ("method", pa.string()),
        ("retrieval_ms", pa.float64()),
        ("retrieval_cpu_ms", pa.float64()),
    ]
)


def both_retrievers(index: InvertedSignalIndex) -> dict[str, RegistryRetriever]:
    """What RQ3 compares, by method name."""
    return {SSR: SsrWithin(index), BM25: Bm25Within(index)}


class Pools(NamedTuple):
    """pools: `POOLS_SCHEMA`, none of an empty pool; retrieval: `ROWS_SCHEMA`, measured times."""

    pools: pa.Table
    retrieval: pa.Table


def make_pools(
    index: InvertedSignalIndex,
    registries: Iterable[Registry],
    retrievers: Mapping[str, RegistryRetriever],
    k: int,
    tie_break: str,
    full_catalog_up_to: int = 0,
    total: int | None = None,
) -> Pools:
    """Each retriever's pool of at most k cards for each registry; up to some size, all its cards.

    retrievers: by method name, on `index`; total: registries that there will be, for progress. The
    time of a retrieval is that of scoring and ranking, once warm. Memory is linear in the cards of
    the index and in the pools.
    """
    order = index.tie_order(tie_break)
    card_of = {index.id_of(card): card for card in range(index.cards)}
    rows, times = [], []
    warm = False
    for registry in tqdm(registries, desc="pools", total=total, disable=None, delay=2):
        if registry.n <= full_catalog_up_to:
            rows += _positions(registry, FULL_CATALOG, registry.ids)
            times.append((registry.qid, registry.n, FULL_CATALOG, 0.0, 0.0))
        members = np.sort([card_of[card_id] for card_id in registry.ids])
        if not warm:  # what is loaded or compiled on first use is no part of a query's time
            for retriever in retrievers.values():
                best(retriever.score(members, registry.query), order, k)
            warm = True
        for method, retriever in retrievers.items():
            wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
            scored = retriever.score(members, registry.query)
            cards = scored.cards[best(scored, order, k)]
            wall, cpu = time.perf_counter_ns() - wall, time.thread_time_ns() - cpu
            rows += _positions(registry, method, [index.id_of(card) for card in cards])
            spent = (wall / NANOSECONDS_A_MILLISECOND, cpu / NANOSECONDS_A_MILLISECOND)
            times.append((registry.qid, registry.n, method, *spent))
    return Pools(rows_table(rows, POOLS_SCHEMA), rows_table(times, ROWS_SCHEMA))


def _positions(registry: Registry, method: str, ids: Iterable[str]) -> list[tuple]:
    places = enumerate(ids, start=1)
    return [(registry.qid, registry.n, method, position, card_id) for position, card_id in places]
