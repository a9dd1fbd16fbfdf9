"""The pools that an LLM chooses from: the full catalog of a registry, or what SSR makes of it."""

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from tqdm import tqdm

from agent_discovery.files import rows_table
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.ranking import best
from agent_discovery.retrieval.within import score_within

FULL_CATALOG = "Full catalog"
SSR = "SSR"
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


class Registry(NamedTuple):
    """The registry of one query at one size: its cards' ids in the order of display."""

    qid: str
    query: str
    n: int
    ids: Sequence[str]


class Pools(NamedTuple):
    """pools: `POOLS_SCHEMA`, none of an empty pool; retrieval: `ROWS_SCHEMA`, measured times."""

    pools: pa.Table
    retrieval: pa.Table


def make_pools(
    index: InvertedSignalIndex,
    registries: Iterable[Registry],
    k: int,
    tie_break: str,
    full_catalog_up_to: int,
) -> Pools:
    """SSR's pool of at most k cards for each registry, and all of those up to some size."""
    order = index.tie_order(tie_break)
    rows, times = [], []
    for registry in tqdm(registries, desc="pools", disable=None, delay=2):
        if registry.n <= full_catalog_up_to:
            rows += _positions(registry, FULL_CATALOG, registry.ids)
            times.append((registry.qid, registry.n, FULL_CATALOG, 0.0, 0.0))
        members = np.sort([index.card_of(card_id) for card_id in registry.ids])
        wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
        scored = score_within(index, members, registry.query)
        cards = scored.cards[best(scored, order, k)]
        wall, cpu = time.perf_counter_ns() - wall, time.thread_time_ns() - cpu
        rows += _positions(registry, SSR, [index.id_of(card) for card in cards])
        spent = (wall / NANOSECONDS_A_MILLISECOND, cpu / NANOSECONDS_A_MILLISECOND)
        times.append((registry.qid, registry.n, SSR, *spent))
    return Pools(rows_table(rows, POOLS_SCHEMA), rows_table(times, ROWS_SCHEMA))


def _positions(registry: Registry, method: str, ids: Iterable[str]) -> list[tuple]:
    places = enumerate(ids, start=1)
    return [(registry.qid, registry.n, method, position, card_id) for position, card_id in places]
