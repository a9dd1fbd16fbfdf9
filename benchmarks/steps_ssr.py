"""The steps of a benchmark that measure SSR itself, on the generated collection of one size.

Each takes the folder of that size and returns its figures by name.
"""

import json
import resource
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from agent_discovery.card_store import CardStore
from agent_discovery.corpora import load_corpus
from agent_discovery.corpora.corpus import write_corpus
from agent_discovery.errors import InputError
from agent_discovery.retrieval.build import build_index
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.ranking import identical
from agent_discovery.retrieval.structural import FullScan
from agent_discovery.signals import MAX_SIGNALS
from benchmarks.engines import plain, ssr
from benchmarks.timing import Figures, cpu_seconds, latencies, timed

SPEC = "irds:msmarco-passage/dev/small"
K = 10
QUERIES = 1000
REFERENCE_QUERIES, SCANNED_QUERIES = 500, 200
WIDE_QUERIES, SCANS_ONE_BY_ONE = 20, 5
FULL_SCAN_OR_LEXICAL = ("card_", "term_")


def corpus(folder: Path) -> Figures:
    """Write the cards; the collection is the one that IR_DATASETS_HOME names."""
    _, seconds = cpu_seconds(lambda: write_corpus(load_corpus(SPEC), folder))
    return {"corpus_cpu_s": seconds, "corpus_peak_rss_bytes": _peak_rss()}


def build(folder: Path) -> Figures:
    """Build the index; compiled code is loaded before, by the build of a few cards."""
    store = CardStore(folder / "cards.parquet")
    for path in ("warm", "isi"):
        shutil.rmtree(folder / path, ignore_errors=True)
    build_index([next(store.batches()).slice(0, 100)], folder / "warm")
    digest = json.loads((folder / "corpus.json").read_text())["checksums"]["cards"]
    cards = len(store)
    _, seconds = cpu_seconds(lambda: build_index(store, folder / "isi", total=cards, corpus=digest))
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
    """SSR's own forms beside touching every posting, their work, and the time to open the index.

    `_search` begins with a query's posting lists, as `touch_all` does; the others with its text.
    """
    start = time.perf_counter()
    index = InvertedSignalIndex(folder / "isi")
    opened = time.perf_counter() - start
    queries = read_queries(folder, QUERIES)
    lists = [*map(index.signal_lists, queries)]
    pruned, exhaustive = ssr.pruned(index, K), ssr.exhaustive(index, K)
    tops = [[search(query) for query in queries] for search in (pruned, exhaustive)]
    return {
        "open_ms": 1000 * opened,
        "pruned_differs_from_exhaustive": _different(*tops),
        "mean_signals": np.mean([len(one.keys) for one in lists]),
        "mean_candidates": np.mean([top.scored for top in tops[1]]),
        "mean_scored_pruned": np.mean([top.scored for top in tops[0]]),
        "mean_postings": np.mean([top.visited for top in tops[1]]),
        "mean_visited_pruned": np.mean([top.visited for top in tops[0]]),
        **latencies("ssr", pruned, queries),
        **latencies("exhaustive", exhaustive, queries),
        **latencies("look_up", index.signal_lists, queries),
        **latencies("touch_all", ssr.touch_all(index), lists),
        **latencies("ssr_search", ssr.pruned_search(index, K), lists),
        **latencies("exhaustive_search", ssr.exhaustive_search(index, K), lists),
    }


def wide(folder: Path) -> Figures:
    """The same for queries of as many signals as are ever kept, each made of several queries."""
    index = InvertedSignalIndex(folder / "isi")
    queries = wide_queries(index, read_queries(folder, QUERIES))
    pruned, exhaustive = ssr.pruned(index, K), ssr.exhaustive(index, K)
    differing = _different([*map(pruned, queries)], [*map(exhaustive, queries)])
    figures: Figures = {"wide_queries": len(queries), "wide_pruned_differs": differing}
    for name, search in (("wide_ssr", pruned), ("wide_exhaustive", exhaustive)):
        cpu, _ = timed(search, queries)
        figures |= {f"{name}_mean_ms": cpu.mean(), f"{name}_max_ms": cpu.max()}
    return figures


def wide_queries(index: InvertedSignalIndex, queries: Sequence[str]) -> list[str]:
    """Queries of 64 signals, each of the words of the next few of `queries`."""
    wide, words = [], []
    for query in queries:
        words.append(query)
        if len(index.signal_lists(" ".join(words)).keys) == MAX_SIGNALS:
            wide.append(" ".join(words))
            words = []
    if not wide:
        raise InputError("the queries are too few for one of 64 signals: take a larger --sizes")
    return wide[:WIDE_QUERIES]


def scan(folder: Path) -> Figures:
    """The full scan, for all queries in one pass and for each alone, held against the others."""
    index = InvertedSignalIndex(folder / "isi")
    queries, order = read_queries(folder, SCANNED_QUERIES), index.tie_order("paper")
    full = FullScan(index)
    full.top_many(queries[:1], K, order)
    scanned, seconds = cpu_seconds(lambda: full.top_many(queries, K, order))
    alone = queries[:SCANS_ONE_BY_ONE]
    cpu, _ = timed(lambda query: full.top(query, K, order), alone)
    return {
        "scan_queries": len(queries),
        "scan_differs_from_exhaustive": _different(scanned, map(ssr.exhaustive(index, K), queries)),
        "scan_differs_from_pruned": _different(scanned, map(ssr.pruned(index, K), queries)),
        "scan_one_pass_mean_ms": 1000 * seconds / len(queries),
        "scan_alone_mean_ms": cpu.mean(),
        "scan_scored": index.cards,
    }


def reference(folder: Path) -> Figures:
    """Queries on which plain Python, written from the definitions, ranks otherwise than SSR."""
    index, store = InvertedSignalIndex(folder / "isi"), CardStore(folder / "cards.parquet")
    queries = read_queries(folder, REFERENCE_QUERIES)
    pruned = ssr.pruned(index, K)
    found = [
        [*zip(*(column.tolist() for column in pruned(one)[:3]), strict=True)] for one in queries
    ]
    expected = plain.first_cards(store, queries, K)
    return {
        "reference_queries": len(queries),
        "differs_from_reference": sum(map(list.__ne__, found, expected)),
    }


def read_queries(folder: Path, count: int) -> list[str]:
    """The texts of the first queries of the collection."""
    return pq.read_table(folder / "queries.parquet")["text"].to_pylist()[:count]


def _different(tops, others) -> int:
    return sum(not identical(*pair) for pair in zip(tops, others, strict=True))


def _peak_rss() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
