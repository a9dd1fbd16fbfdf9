"""Query latency, one query at a time: wall time and the thread's CPU time."""

import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

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


def time_batch(
    answer: Callable[[Sequence[str]], object],
    queries: Sequence[tuple[str, str]],
    method: str,
    stage: str,
    repeats: int,
) -> list[tuple[str, str, str, float, float]]:
    """Time `answer` on all texts at once; each query has an equal share of the median timing."""
    texts = [text for _, text in queries]
    answer(texts)
    walls, cpus = zip(*(_timed(answer, texts) for _ in range(repeats)), strict=True)
    share = (median(walls) / len(texts), median(cpus) / len(texts))
    return [(qid, method, stage, *share) for qid, _ in queries]


def _timed(answer: Callable[[Any], object], text: Any) -> tuple[float, float]:
    cpu, wall = time.thread_time_ns(), time.perf_counter_ns()
    answer(text)
    wall, cpu = time.perf_counter_ns() - wall, time.thread_time_ns() - cpu
    return wall / NANOSECONDS_A_MILLISECOND, cpu / NANOSECONDS_A_MILLISECOND


def end_to_end(retrieval: pd.DataFrame, arbitration: pd.DataFrame) -> pd.DataFrame:
    """All stages of each selection that succeeded, and their sum as the stage `end_to_end`.

    retrieval: qid, n, method, retrieval_ms, retrieval_cpu_ms; arbitration: latency rows of the
    stages prompt, llm and failure. A failed call has a stage of its own and no sum.
    """
    key = ["qid", "n", "method"]
    first = retrieval.rename(columns={"retrieval_ms": "wall_ms", "retrieval_cpu_ms": "cpu_ms"})
    answered = arbitration.loc[arbitration["stage"] == "llm", key]
    stages = pd.concat([first.assign(stage="retrieval").merge(answered, on=key), arbitration])
    whole = stages[stages["stage"] != "failure"].merge(answered, on=key)
    sums = whole.groupby(key, sort=False)[["wall_ms", "cpu_ms"]].sum().reset_index()
    return pd.concat([stages, sums.assign(stage="end_to_end")])[
        [*key, "stage", "wall_ms", "cpu_ms"]
    ]


def latency_summary(
    rows: pd.DataFrame, groups: Sequence[str] = ("method", "stage")
) -> pd.DataFrame:
    """Mean, median and 95th percentile of each of `groups`, in the order of `rows`."""
    grouped = rows.groupby(list(groups), sort=False)
    summary = grouped[["wall_ms", "cpu_ms"]].agg(list(STATISTICS.values()))
    summary.columns = [
        f"{time_name}_{name}" for time_name in ("wall_ms", "cpu_ms") for name in STATISTICS
    ]
    summary.insert(0, "queries", grouped.size())
    return summary.reset_index()
