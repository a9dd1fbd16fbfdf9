"""Compare BM25's two engines on a built index, query by query; JSON on stdout.

python -m benchmarks.bm25_engines --index ISI --cards cards.parquet --queries FILE [--count 200]

The FTS5 table is made anew in a temporary folder. A query differs where the first k cards, their
order or a score's last bit do.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from agent_discovery.card_store import CardStore
from agent_discovery.errors import InputError, one_line_errors
from agent_discovery.evaluation.latency import NANOSECONDS_A_MILLISECOND
from agent_discovery.retrieval.bm25 import Bm25Native
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.lexical import Bm25, build_fts
from agent_discovery.retrieval.ranking import best_of
from benchmarks.query_latency import read_queries


def compare(index: InvertedSignalIndex, fts: Bm25, queries: Sequence[str], k: int) -> dict:
    """Differences between the engines, and each one's mean CPU time a query."""
    order, native = index.tie_order("paper"), Bm25Native(index)
    native.score(queries[0])
    spent = {"fts5": 0, "native": 0}
    first_differ = candidates_differ = 0
    for query in queries:
        found = {}
        for name, engine in (("fts5", fts), ("native", native)):
            start = time.thread_time_ns()
            found[name] = engine.score(query)
            spent[name] += time.thread_time_ns() - start
        one, other = found["fts5"], found["native"]
        candidates_differ += not all(map(np.array_equal, one, other))
        tops = (best_of(scored, order, k) for scored in (one, other))
        first_differ += not all(map(np.array_equal, *tops))
    means = {name: ns / NANOSECONDS_A_MILLISECOND / len(queries) for name, ns in spent.items()}
    return {
        "cards": index.cards,
        "queries": len(queries),
        "k": k,
        "first_k_differ": first_differ,
        "any_candidate_differs": candidates_differ,
        "mean_cpu_ms": {name: round(mean, 3) for name, mean in means.items()},
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit code 0, or 2 for bad input (one line says what)."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bm25_engines",
        description="Compare BM25 by FTS5 with the native engine; JSON on stdout.",
    )
    parser.add_argument("--index", required=True, help="folder of the Inverted Signal Index")
    parser.add_argument("--cards", required=True, help="the cards.parquet that it was built from")
    parser.add_argument("--queries", required=True, help="TSV of query id and text")
    parser.add_argument("--count", type=int, default=200, help="queries compared (default 200)")
    parser.add_argument("--k", type=int, default=10, help="cards compared (default 10)")
    options = parser.parse_args(arguments)
    with one_line_errors(), TemporaryDirectory() as folder:
        if min(options.count, options.k) < 1:
            raise InputError("--count and --k must be at least 1")
        queries = read_queries(options.queries, options.count)
        index, cards = InvertedSignalIndex(options.index), CardStore(options.cards)
        if len(cards) != index.cards:
            raise InputError(f"{options.cards}: has {len(cards)} cards, the index {index.cards}")
        table = Path(folder) / "cards.sqlite"
        build_fts(cards.batches(), table, len(cards))
        print(json.dumps(compare(index, Bm25(table), queries, options.k), indent=2))


if __name__ == "__main__":
    main()
