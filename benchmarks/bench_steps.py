"""The steps of a benchmark of one size. Each runs in a process of its own, so that none sees the
memory of another, and prints its figures as one line of JSON.

python -m benchmarks.bench_steps STEP FOLDER
"""

import json
import os
import resource
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from agent_discovery.card_store import CardStore
from agent_discovery.corpora import load_corpus
from agent_discovery.corpora.corpus import write_corpus
from agent_discovery.retrieval.build import build_index
from agent_discovery.retrieval.isi import InvertedSignalIndex
from benchmarks.engines import ssr

SPEC = "irds:msmarco-passage/dev/small"
K = 10
QUERIES = 1000
SLOW_QUERIES = 100  # of the same queries, for what takes tenths of a second each
COMPARED = 100
TOLERANCE = 1e-9
FULL_SCAN_OR_LEXICAL = ("card_", "term_")
Figures = dict[str, float]


def corpus(folder: Path) -> Figures:
    """Write the cards; the collection is the one that IR_DATASETS_HOME names."""
    _, seconds = _timed(lambda: write_corpus(load_corpus(SPEC), folder))
    return {"corpus_cpu_s": seconds, "corpus_peak_rss_bytes": _peak_rss()}


def build(folder: Path) -> Figures:
    """Build the index; compiled code is loaded before, by the build of a few cards."""
    store = CardStore(folder / "cards.parquet")
    for path in ("warm", "isi"):
        shutil.rmtree(folder / path, ignore_errors=True)
    build_index([next(store.batches()).slice(0, 100)], folder / "warm")
    digest = json.loads((folder / "corpus.json").read_text())["checksums"]["cards"]
    cards = len(store)
    _, seconds = _timed(lambda: build_index(store, folder / "isi", total=cards, corpus=digest))
    sizes = {path.name: path.stat().st_size for path in (folder / "isi").iterdir()}
    of_isi = [n for name, n in sizes.items() if not name.startswith(FULL_SCAN_OR_LEXICAL)]
    return {
        "build_passages_per_s": cards / seconds,
        "build_cpu_s": seconds,
        "peak_rss_bytes": _peak_rss(),
        "bytes_per_passage": sum(of_isi) / cards,
        "whole_index_bytes_per_passage": sum(sizes.values()) / cards,
    }


def latency(folder: Path) -> Figures:
    """SSR's own forms, and the time to open the index."""
    start = time.perf_counter()
    index = InvertedSignalIndex(folder / "isi")
    opened = time.perf_counter() - start
    queries = _queries(folder, QUERIES)
    form, search = ssr.fastest(index, K)
    exhaustive = ssr.exhaustive(index, K)
    differing = sum(search(query) != exhaustive(query) for query in queries)
    return {
        "open_ms": 1000 * opened,
        "ssr_form": form,
        "pruned_differs_from_exhaustive": differing,
        **_latencies("ssr", search, queries),
        **_latencies("exhaustive", exhaustive, queries),
        **_latencies("look_up", index.signal_lists, queries),
        **_latencies("touch_all", ssr.touch_all(index), [*map(index.signal_lists, queries)]),
    }


def sqlite(folder: Path) -> Figures:
    """SSR and BM25 in SQLite, and queries whose first cards differ from the package's SSR."""
    from benchmarks.engines.sqlite import SqliteBm25, SqliteSsr, build

    store = CardStore(folder / "cards.parquet")
    figures: Figures = {}
    for name in ("signals", "tokens"):
        path = folder / f"{name}.sqlite"
        path.unlink(missing_ok=True)
        of_signals = name == "signals"
        _, seconds = _timed(lambda p=path, s=of_signals: build(store.batches(), p, s))
        if of_signals:
            figures["sqlite_build_passages_per_s"] = len(store) / seconds
            figures["sqlite_bytes_per_passage"] = path.stat().st_size / len(store)
    queries = _queries(folder, SLOW_QUERIES)
    joined = SqliteSsr(folder / "signals.sqlite", len(store))
    bm25 = SqliteBm25(folder / "tokens.sqlite")
    own = ssr.exhaustive(InvertedSignalIndex(folder / "isi"), K)
    return {
        **figures,
        "sqlite_queries": len(queries),
        **_latencies("sqlite_ssr", lambda query: joined.top(query, K), queries),
        **_latencies("sqlite_bm25", lambda query: bm25.top(query, K), queries),
        "sqlite_ssr_scores_differ": sum(
            not _same_scores(own(query), joined.top(query, K)) for query in queries[:COMPARED]
        ),
    }


def tantivy(folder: Path) -> Figures:
    """BM25 by tantivy."""
    from benchmarks.engines.tantivy_bm25 import TantivyBm25, build

    store = CardStore(folder / "cards.parquet")
    shutil.rmtree(folder / "tantivy", ignore_errors=True)
    build(store.batches(), folder / "tantivy")
    engine = TantivyBm25(folder / "tantivy")
    return _latencies("tantivy", lambda query: engine.top(query, K), _queries(folder, QUERIES))


def bm25s(folder: Path) -> Figures:
    """BM25 by bm25s."""
    from benchmarks.engines.bm25s_bm25 import Bm25s, build

    engine = Bm25s(build(CardStore(folder / "cards.parquet").batches()))
    return _latencies("bm25s", lambda query: engine.top(query, K), _queries(folder, QUERIES))


STEPS = {step.__name__: step for step in (corpus, build, latency, sqlite, tantivy, bm25s)}


def _timed(call: Callable) -> tuple[object, float]:
    """What a call returns and its seconds of CPU, those of all threads of the process."""
    start = time.process_time()
    return call(), time.process_time() - start


def _latencies(name: str, search: Callable, queries: Sequence) -> Figures:
    """Mean and 95th percentile of the thread's CPU time, and the mean wall time, once warm."""
    for query in queries:
        search(query)
    cpu, wall = np.empty(len(queries)), np.empty(len(queries))
    for i, query in enumerate(queries):
        clock, start = time.perf_counter_ns(), time.thread_time_ns()
        search(query)
        cpu[i], wall[i] = time.thread_time_ns() - start, time.perf_counter_ns() - clock
    return {
        f"{name}_mean_ms": cpu.mean() / 1e6,
        f"{name}_p95_ms": np.percentile(cpu, 95) / 1e6,
        f"{name}_mean_wall_ms": wall.mean() / 1e6,
    }


def _same_scores(one: list[tuple[int, float]], other: list[tuple[int, float]]) -> bool:
    """Whether the scores agree place by place; sums in another order may break ties otherwise."""
    if len(one) != len(other):
        return False
    return all(abs(a[1] - b[1]) <= TOLERANCE for a, b in zip(one, other, strict=True))


def _queries(folder: Path, count: int) -> list[str]:
    return pq.read_table(folder / "queries.parquet")["text"].to_pylist()[:count]


def _peak_rss() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    """Run one step."""
    step, folder = sys.argv[1:]
    wall, load = time.perf_counter(), os.getloadavg()[0]
    figures = STEPS[step](Path(folder))
    figures |= {f"{step}_wall_s": time.perf_counter() - wall, f"{step}_load": load}
    rounded = {
        name: float(f"{value:.6g}") if isinstance(value, float) else value
        for name, value in figures.items()
    }
    print(json.dumps(rounded))


if __name__ == "__main__":
    main()
