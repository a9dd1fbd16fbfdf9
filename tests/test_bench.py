"""The benchmarks' own code: SQLite gives SSR's scores, and the table and figure show the JSON."""

import json

from pytest import approx, fixture

from agent_discovery.cards import card_batches
from benchmarks.bench import measure
from benchmarks.bench_report import draw, notes, table
from benchmarks.engines import ssr
from benchmarks.engines.sqlite import SqliteBm25, SqliteSsr, build

K = 10


def test_sqlite_gives_the_scores_of_ssr(generated_world, tmp_path):
    world = generated_world
    build(card_batches(world.cards), tmp_path / "signals.sqlite", of_signals=True)
    joined = SqliteSsr(tmp_path / "signals.sqlite", world.index.cards)
    _, fastest = ssr.fastest(world.index, K)
    for query in world.queries[:50]:
        expected = [score for _, score in ssr.exhaustive(world.index, K)(query)]
        assert [score for _, score in joined.top(query, K)] == approx(expected, abs=1e-9)
        assert [score for _, score in fastest(query)] == expected


def test_sqlite_gives_the_scores_of_bm25(generated_world, tmp_path):
    world = generated_world
    build(card_batches(world.cards), tmp_path / "tokens.sqlite", of_signals=False)
    found = SqliteBm25(tmp_path / "tokens.sqlite")
    for query in world.queries[:50]:
        best = sorted(world.bm25.score(query).scores, reverse=True)[:K]
        assert [score for _, score in found.top(query, K)] == approx(best, abs=1e-9)
    assert found.top("the of", K) == []


def test_every_posting_is_touched(generated_world):
    index = generated_world.index
    lists = index.signal_lists(generated_world.queries[0])
    spans = zip(lists.starts, lists.ends, strict=True)
    expected = sum(int(index.arrays["postings"][a:b].sum()) for a, b in spans)
    assert ssr.touch_all(index)(lists) == expected


@fixture
def summary() -> dict:
    small = {"ssr_mean_ms": 0.1, "ssr_p95_ms": 0.2, "bytes_per_passage": 300.5, "latency_load": 1.5}
    large = {**small, "tantivy_mean_ms": 0.5, "tantivy_p95_ms": 0.9, "open_ms": 3.25}
    machine = {"cpus": 2, "cpu": "a CPU", "memory_gib": 8.0, "python": "3.11"}
    sizes = {"20000": {**small, "skipped": {"bm25s": "not here"}}, "100000": large}
    sizes["100000"]["skipped"] = {}
    return {"machine": machine, "k": 10, "queries": 1000, "slow_queries": 100, "sizes": sizes}


def test_the_table_and_its_notes(summary):
    text = table(summary)
    assert "20,000" in text and "100,000" in text
    assert "0.1 / 0.2 (1×)" in text and "0.5 / 0.9 (5×)" in text and "300.5" in text
    assert "bm25s: not here" in notes(summary) and "2 x a CPU" in notes(summary)


def test_the_figure_is_the_same_each_time(summary, tmp_path):
    draw(summary, tmp_path / "one.svg")
    content = (tmp_path / "one.svg").read_bytes()
    draw(summary, tmp_path / "one.svg")
    assert content.startswith(b"<?xml") and (tmp_path / "one.svg").read_bytes() == content


def test_what_is_too_large_is_skipped_and_said(tmp_path):
    results = tmp_path / "summary.json"
    measure(8_841_823, tmp_path, tmp_path, ["sqlite", "bm25s"], results)
    skipped = json.loads(results.read_text())["sizes"]["8841823"]["skipped"]
    assert set(skipped) == {"sqlite", "bm25s"}
