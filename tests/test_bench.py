"""The benchmarks' own code: SQLite gives SSR's scores, and the table and figure show the JSON."""

import json

from pytest import approx, fixture

from agent_discovery.cards import card_batches
from agent_discovery.retrieval.ranking import Top
from benchmarks.bench import in_process, measure
from benchmarks.bench_report import draw, notes, tables
from benchmarks.bench_steps import OF_SSR, run
from benchmarks.engines import ssr
from benchmarks.engines.sqlite import SqliteBm25, SqliteSsr, build
from benchmarks.generate_msmarco import main as generate
from benchmarks.steps_peers import same_scores

K = 10


def test_sqlite_gives_the_scores_of_ssr(generated_world, tmp_path):
    world = generated_world
    build(card_batches(world.cards), tmp_path / "signals.sqlite", of_signals=True)
    joined = SqliteSsr(tmp_path / "signals.sqlite", world.index.cards)
    exhaustive = ssr.exhaustive(world.index, K)
    for query in world.queries[:50]:
        assert same_scores(exhaustive(query), joined.top(query, K))
        assert same_scores(exhaustive(query), joined.top_by_rows(query, K))


def test_scores_are_compared_place_by_place():
    top = Top([1, 2], [2.0, 1.0], [1, 1], 2)
    assert same_scores(top, [(7, 2.0), (8, 1 + 1e-10)])
    assert not same_scores(top, [(1, 2.0), (2, 1 + 1e-6)])
    assert not same_scores(top, [(1, 2.0)]) and not same_scores(top, [(1, 1.0), (2, 2.0)])


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
    large |= {"reference_queries": 500, "differs_from_reference": 0}
    machine = {"cpus": 2, "cpu": "a CPU", "memory_gib": 8.0, "python": "3.11"}
    sizes = {"20000": {**small, "skipped": {"bm25s": "not here"}}, "100000": large}
    sizes["100000"]["skipped"] = {}
    return {"machine": machine, "k": 10, "queries": 1000, "slow_queries": 100, "sizes": sizes}


def test_the_table_and_its_notes(summary):
    text = tables(summary)
    assert "20,000" in text and "100,000" in text
    rows = {
        cells[1].strip(): cells
        for cells in (line.split("|") for line in text.split("\n"))
        if cells[1:]
    }
    assert [cell.strip() for cell in rows["SSR"][2:4]] == ["0.1 / 0.2", "0.1 / 0.2"]
    assert [cell.strip() for cell in rows["tantivy BM25 / SSR"][2:4]] == ["", "5"]
    assert rows["SSR and plain Python"][3].strip() == "0 of 500" and "300.5" in text
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


@fixture(scope="module")
def measured(tmp_path_factory) -> dict:
    """Every step that needs no other engine than SQLite, run on 3,000 passages."""
    folder, names = tmp_path_factory.mktemp("bench"), [*OF_SSR, "sqlite", "bm25"]
    generate([*"--passages 3000 --queries 1000 --seed 7 --home".split(), str(folder / "home")])
    # ir_datasets takes its home once in a process, so the collection is read in another.
    corpus = in_process("corpus", folder, folder / "home")
    return {"corpus": corpus} | {name: run(name, folder) for name in names if name != "corpus"}


def test_every_form_gives_the_same_cards(measured):
    assert measured["reference"]["reference_queries"] == 500
    differing = {
        name: value
        for figures in measured.values()
        for name, value in figures.items()
        if "differ" in name
    }
    assert len(differing) == 8 and set(differing.values()) == {0}


def test_pruning_visits_fewer_postings(measured):
    found = measured["latency"]
    assert 0 < found["mean_visited_pruned"] < found["mean_postings"]
    assert found["mean_candidates"] <= found["mean_postings"]
    assert measured["wide"]["wide_queries"] > 0


def test_the_figures_that_are_promised_are_there(measured):
    found = set().union(*measured.values())
    forms = [f"{form}_mean_ms" for form in ("ssr", "exhaustive", "touch_all", "sqlite_bm25")]
    sizes = ["build_passages_per_s", "peak_rss_bytes", "bytes_per_passage"]
    assert found >= {*forms, *sizes, "ssr_p95_ms", "sqlite_ssr_mean_ms", "sqlite_ssr_p95_ms"}
