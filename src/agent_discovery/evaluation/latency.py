"""Query latency, one query at a time: wall time and the thread's CPU time."""

import time
from collections.abc import Callable, Sequence
from statistics import median

import pandas as pd
import pyarrow as pa

NANOSECONDS_A_MILLISECOND = 1e6
LATENCY_SCHEMA = pa.schema(
    [
        ("qid", pa.string()),
        ("method", pa.string()),
        ("stage", pa.string()),
        ("wall_ms", pa.float64()),
        ("cpu_ms", pa.float64()),
    ]
)
STATISTICS = {"mean": "mean", "median": "median", "p95": lambda values: values.quantile(0.95)}


def time_queries(
    answer: Callable[[str], object],
    queries: Sequence[tuple[str, str]],
    method: str,
    stage: str,
    repeats: int,
) -> list[tuple[str, str, str, float, float]]:
    """Time `answer` on each (qid, text): rows of `LATENCY_SCHEMA`.

    One untimed pass warms caches and compilation; the median of `repeats` timings counts.
    """
    for _, text in queries:
        answer(text)
    rows = []
    for qid, text in queries:
        walls, cpus = zip(*(_timed(answer, text) for _ in range(repeats)), strict=True)
        rows.append((qid, method, stage, median(walls), median(cpus)))
    return rows


def _timed(answer: Callable[[str], object], text: str) -> tuple[float, float]:
    cpu, wall = time.thread_time_ns(), time.perf_counter_ns()
    answer(text)
    wall, cpu = time.perf_counter_ns() - wall, time.thread_time_ns() - cpu
    return wall / NANOSECONDS_A_MILLISECOND, cpu / NANOSECONDS_A_MILLISECOND


def latency_summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean, median and 95th percentile of each method and stage, in the order of `rows`."""
    grouped = rows.groupby(["method", "stage"], sort=False)
    summary = grouped[["wall_ms", "cpu_ms"]].agg(list(STATISTICS.values()))
    summary.columns = [
        f"{time_name}_{name}" for time_name in ("wall_ms", "cpu_ms") for name in STATISTICS
    ]
    summary.insert(0, "queries", grouped.size())
    return summary.reset_index()
