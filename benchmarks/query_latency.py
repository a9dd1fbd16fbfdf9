"""Time SSR's searches on a built index, beside touching every posting once; JSON on stdout.

python -m benchmarks.query_latency --index ISI --queries FILE [--count 1000] [--check 200]

Times are milliseconds of one thread's CPU time, once warm and compiled, the median of the repeats
of each query. `search` begins with the query's posting lists, as `touch_all` does; `whole` begins
with its text and looks the lists up too.
"""

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numba import njit

from agent_discovery.errors import InputError, one_line_errors
from agent_discovery.evaluation.latency import NANOSECONDS_A_MILLISECOND
from agent_discovery.retrieval.isi import InvertedSignalIndex, Lists
from agent_discovery.retrieval.pruned import SsrPruned
from agent_discovery.retrieval.ranking import Top, identical
from agent_discovery.retrieval.structural import FullScan, Ssr
from agent_discovery.signals import MAX_SIGNALS

WIDE_QUERIES = 20
SCANS_ONE_BY_ONE = 5


@njit(cache=True, nogil=True)
def touch_all(postings, starts, ends):
    """The sum of all postings of some lists: the least that an unpruned search could do."""
    total = np.uint64(0)
    for j in range(len(starts)):
        for i in range(starts[j], ends[j]):
            total += np.uint64(postings[i])
    return total


def measure(
    index: InvertedSignalIndex, queries: Sequence[str], k: int, repeats: int, check: int
) -> dict:
    """Every figure, as JSON holds it; check: queries that all forms must answer alike."""
    order = index.tie_order("paper")
    ssr, pruned = Ssr(index), SsrPruned(index)
    postings = index.arrays["postings"]
    lists = [index.signal_lists(query) for query in queries]
    wide = [index.signal_lists(query) for query in wide_queries(index, queries)]
    on_lists: dict[str, Callable[[Lists], object]] = {
        "touch_all": lambda one: touch_all(postings, one.starts, one.ends),
        "pruned_search": lambda one: pruned.search([one], k, order),
        "exhaustive_search": lambda one: ssr.search(one, k, order),
    }
    on_text: dict[str, Callable[[str], object]] = {
        "look_up": index.signal_lists,
        "pruned_whole": lambda query: pruned.top(query, k, order),
        "exhaustive_whole": lambda query: ssr.top(query, k, order),
    }
    times = {name: timed(call, lists, repeats) for name, call in on_lists.items()}
    times |= {name: timed(call, queries, repeats) for name, call in on_text.items()}
    wide_times = {name: timed(call, wide, repeats) for name, call in on_lists.items()}
    tops = [pruned.search([one], k, order)[0] for one in lists]
    summaries = {name: summary(values) for name, values in times.items()}
    return {
        "cards": index.cards,
        "queries": len(queries),
        "k": k,
        "load_average": os.getloadavg(),
        "mean_signals": float(np.mean([len(one.keys) for one in lists])),
        "mean_postings": float(np.mean([(one.ends - one.starts).sum() for one in lists])),
        "mean_opened_by_pruned": float(np.mean([top.scored for top in tops])),
        "mean_candidates": float(np.mean([ssr.search(one, k, order).scored for one in lists])),
        "cpu_ms": summaries,
        "cpu_ms_of_64_signals": {name: summary(values) for name, values in wide_times.items()},
        "ratios": ratios(summaries, {name: values.max() for name, values in wide_times.items()}),
        "equality": equality(index, queries[:check], k, order),
    }


def wide_queries(index: InvertedSignalIndex, queries: Sequence[str]) -> list[str]:
    """Queries of as many signals as are ever kept, each made of several of `queries`."""
    wide, words = [], []
    for query in queries:
        words.append(query)
        if len(index.signal_lists(" ".join(words)).keys) == MAX_SIGNALS:
            wide.append(" ".join(words))
            words = []
        if len(wide) == WIDE_QUERIES:
            break
    if not wide:
        raise InputError("the queries are too few for one of 64 signals: give more")
    return wide


def timed(call: Callable, arguments: Sequence, repeats: int) -> np.ndarray:
    """Median CPU time of `call` on each argument, in ms, (arguments,); an untimed pass first."""
    for argument in arguments:
        call(argument)
    times = np.empty((repeats, len(arguments)))
    for row in times:
        for place, argument in enumerate(arguments):
            start = time.thread_time_ns()
            call(argument)
            row[place] = time.thread_time_ns() - start
    return np.median(times, axis=0) / NANOSECONDS_A_MILLISECOND


def summary(values: np.ndarray) -> dict[str, float]:
    """What is told of the times of all queries."""
    p50, p95, p99 = np.percentile(values, [50, 95, 99])
    figures = {"mean": values.mean(), "median": p50, "p95": p95, "p99": p99, "max": values.max()}
    return {name: round(float(figure), 5) for name, figure in figures.items()}


def ratios(summaries: dict[str, dict[str, float]], slowest_wide: dict[str, float]) -> dict:
    """Means over that of touching every posting, and the slowest 64-signal query over the mean."""
    means = {name: figures["mean"] for name, figures in summaries.items()}
    forms = ("pruned_search", "pruned_whole", "exhaustive_search", "exhaustive_whole")
    found = {f"{form}_to_touch_all": means[form] / means["touch_all"] for form in forms}
    for form in ("pruned_search", "exhaustive_search"):
        found[f"64_signals_to_mean_{form}"] = float(slowest_wide[form]) / means[form]
    return {name: round(ratio, 3) for name, ratio in found.items()}


def equality(index: InvertedSignalIndex, queries: Sequence[str], k: int, order: np.ndarray) -> dict:
    """Queries on which a form returns other cards, scores or counts than the exhaustive one."""
    scan = FullScan(index)
    expected = [Ssr(index).top(query, k, order) for query in queries]
    scan.top_many(queries[:1], k, order)
    start = time.thread_time_ns()
    scanned = scan.top_many(queries, k, order)
    batch_ms = (time.thread_time_ns() - start) / NANOSECONDS_A_MILLISECOND
    alone = timed(lambda query: scan.top(query, k, order), queries[:SCANS_ONE_BY_ONE], 1)
    return {
        "queries": len(queries),
        "pruned_differs": _different(SsrPruned(index).top_many(queries, k, order), expected),
        "full_scan_differs": _different(scanned, expected),
        "full_scan_one_by_one_ms": round(float(alone.mean()), 3),
        "full_scan_in_one_pass_ms": round(batch_ms / max(1, len(queries)), 3),
        "full_scan_scored": index.cards,
    }


def _different(tops: Sequence[Top], expected: Sequence[Top]) -> int:
    return len(expected) - sum(map(identical, tops, expected))


def read_queries(path: str | Path, count: int) -> list[str]:
    """The texts of the first queries of a TSV file (id, TAB, text)."""
    try:
        with open(path, encoding="utf-8", newline="\n") as stream:
            rows = [line.rstrip("\n").split("\t") for line in stream]
        texts = [text for _, text in rows][:count]
    except (OSError, ValueError):
        raise InputError(f"{path}: no queries can be read: give a TSV of id and text") from None
    if len(texts) < count:
        raise InputError(f"{path}: has {len(texts)} queries, not {count}: give --count")
    return texts


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit code 0, or 2 for bad input (one line says what)."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.query_latency",
        description="Time SSR's searches on a built index; JSON on stdout.",
    )
    parser.add_argument("--index", required=True, help="folder of the Inverted Signal Index")
    parser.add_argument("--queries", required=True, help="TSV of query id and text")
    parser.add_argument("--count", type=int, default=1000, help="queries timed (default 1000)")
    parser.add_argument("--k", type=int, default=10, help="cards returned (default 10)")
    parser.add_argument("--repeats", type=int, default=3, help="timings of each (default 3)")
    parser.add_argument("--check", type=int, default=200, help="queries compared (default 200)")
    options = parser.parse_args(arguments)
    with one_line_errors():
        if min(options.count, options.k, options.repeats, options.check) < 1:
            raise InputError("--count, --k, --repeats and --check must be at least 1")
        queries = read_queries(options.queries, options.count)
        index = InvertedSignalIndex(options.index)
        figures = measure(index, queries, options.k, options.repeats, options.check)
        print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
