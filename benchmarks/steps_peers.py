"""The steps of a benchmark that measure other engines on the same cards and queries."""

import shutil
from pathlib import Path

import numpy as np

from agent_discovery.card_store import CardStore
from agent_discovery.retrieval.bm25 import Bm25Native
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.lexical import Bm25, build_fts
from agent_discovery.retrieval.ranking import Top, best_of, identical
from benchmarks.engines import ssr
from benchmarks.steps_ssr import QUERIES, K, read_queries
from benchmarks.timing import Figures, cpu_seconds, latencies

SLOW_QUERIES = 100  # of the same queries, for what takes tenths of a second each
COMPARED = 200
TOLERANCE = 1e-9


def sqlite(folder: Path) -> Figures:
    """SSR and BM25 in SQLite, and queries whose first scores differ from the package's SSR."""
    from benchmarks.engines.sqlite import SqliteBm25, SqliteSsr, build

    store = CardStore(folder / "cards.parquet")
    figures: Figures = {}
    for name in ("signals", "tokens"):
        path = folder / f"{name}.sqlite"
        path.unlink(missing_ok=True)
        of_signals = name == "signals"
        _, seconds = cpu_seconds(lambda p=path, s=of_signals: build(store.batches(), p, s))
        if of_signals:
            figures["sqlite_build_passages_per_s"] = len(store) / seconds
            figures["sqlite_bytes_per_passage"] = path.stat().st_size / len(store)
    queries = read_queries(folder, SLOW_QUERIES)
    joined = SqliteSsr(folder / "signals.sqlite", len(store))
    bm25 = SqliteBm25(folder / "tokens.sqlite")
    own = ssr.exhaustive(InvertedSignalIndex(folder / "isi"), K)
    return {
        **figures,
        "sqlite_queries": len(queries),
        **latencies("sqlite_ssr", lambda query: joined.top(query, K), queries),
        **latencies("sqlite_rows_ssr", lambda query: joined.top_by_rows(query, K), queries),
        **latencies("sqlite_bm25", lambda query: bm25.top(query, K), queries),
        # Sums in another order may break ties otherwise, so scores are compared place by place.
        "sqlite_ssr_scores_differ": sum(
            not same_scores(own(query), joined.top(query, K)) for query in queries
        ),
    }


def same_scores(top: Top, rows: list[tuple[int, float]]) -> bool:
    """Whether the scores agree place by place."""
    scores = [score for _, score in rows]
    return len(top.scores) == len(scores) and np.allclose(top.scores, scores, 0, TOLERANCE)


def bm25(folder: Path) -> Figures:
    """BM25's two engines: queries on which they differ, and the time of each."""
    index, store = InvertedSignalIndex(folder / "isi"), CardStore(folder / "cards.parquet")
    table = folder / "fts5.sqlite"
    table.unlink(missing_ok=True)
    build_fts(store.batches(), table, len(store))
    native, fts, order = Bm25Native(index), Bm25(table), index.tie_order("paper")
    queries = read_queries(folder, COMPARED)
    found = [[engine.score(query) for query in queries] for engine in (native, fts)]
    pairs = [*zip(*found, strict=True)]
    return {
        "bm25_queries": len(queries),
        "bm25_first_cards_differ": sum(
            not identical(*(best_of(scored, order, K) for scored in pair)) for pair in pairs
        ),
        "bm25_candidates_differ": sum(not all(map(np.array_equal, *pair)) for pair in pairs),
        **latencies("bm25_native", native.score, queries),
        **latencies("bm25_fts5", fts.score, queries[:SLOW_QUERIES]),
    }


def tantivy(folder: Path) -> Figures:
    """BM25 by tantivy."""
    from benchmarks.engines.tantivy_bm25 import TantivyBm25, build

    store = CardStore(folder / "cards.parquet")
    shutil.rmtree(folder / "tantivy", ignore_errors=True)
    build(store.batches(), folder / "tantivy")
    engine = TantivyBm25(folder / "tantivy")
    return latencies("tantivy", lambda query: engine.top(query, K), read_queries(folder, QUERIES))


def bm25s(folder: Path) -> Figures:
    """BM25 by bm25s."""
    from benchmarks.engines.bm25s_bm25 import Bm25s, build

    engine = Bm25s(build(CardStore(folder / "cards.parquet").batches()))
    return latencies("bm25s", lambda query: engine.top(query, K), read_queries(folder, QUERIES))
