"""The tables around Table III, on queries few enough to average by hand."""

import pandas as pd
from pytest import approx, fixture, mark, raises

from agent_discovery.config import Intervals
from agent_discovery.evaluation.intervals import mean_with_interval
from agent_discovery.evaluation.measures import measured
from agent_discovery.evaluation.table3 import (
    Evaluated,
    by_source,
    comparison,
    effectiveness,
    equivalence,
    last_places,
    read_evaluated,
)

SETTINGS = Intervals(resamples=100)
QIDS = ["q1", "q2", "q3", "q4"]
NAMES = {"ssr": "SSR", "bm25": "BM25"}


def evaluated(success: list[float], mrr: list[float]) -> Evaluated:
    """Measures of `QIDS`; any order of ties moves each by a quarter."""
    columns = {"success@1": success, "mrr@10": mrr}
    values = pd.DataFrame(columns, index=pd.Index(QIDS[: len(success)], name="qid"))
    candidates = pd.Series(range(10, 10 + len(success)), values.index, name="candidates")
    return Evaluated(values, values + 0.25, values - 0.25, candidates)


@fixture
def methods() -> dict[str, Evaluated]:
    """Two methods: mean success 0.75 and 0.5, mean reciprocal rank 0.75 and 0.25."""
    return {
        "BM25": evaluated([1, 1, 0, 1], [1, 1, 0.5, 0.5]),
        "SSR": evaluated([1, 0, 0, 1], [0.5, 0, 0.25, 0.25]),
    }


def test_effectiveness_by_hand(methods):
    table = effectiveness(methods, "toy", 10, SETTINGS)
    assert table["method"].tolist() == ["BM25", "SSR"]
    assert table[["corpus", "queries", "k"]].to_numpy().tolist() == [["toy", 4, 10]] * 2
    assert table["mean_candidates"].tolist() == [11.5, 11.5]  # of 10, 11, 12 and 13
    for measure, means in {"success@1": [0.75, 0.5], "mrr@10": [0.75, 0.25]}.items():
        assert table[measure].tolist() == means
        assert table[f"{measure}_best"].tolist() == [mean + 0.25 for mean in means]
        assert table[f"{measure}_worst"].tolist() == [mean - 0.25 for mean in means]
        for method, row in table.set_index("method").iterrows():
            interval = mean_with_interval(methods[method].values, SETTINGS).loc[measure]
            found = row[[measure, f"{measure}_low", f"{measure}_high"]].tolist()
            assert found == interval.tolist()


def test_the_columns_of_effectiveness_go_measure_by_measure(methods):
    ends = ["", "_low", "_high", "_worst", "_best"]
    expected = ["corpus", "method", "queries", "k"]
    expected += [f"{name}{end}" for name in ("success@1", "mrr@10") for end in ends]
    table = effectiveness(methods, "toy", 10, SETTINGS)
    assert table.columns.tolist() == [*expected, "mean_candidates"]


def test_effectiveness_of_a_single_query_has_no_interval(methods):
    one = {name: part.on(["q2"]) for name, part in methods.items()}
    table = effectiveness(one, "toy", 10, SETTINGS)
    assert table["success@1"].tolist() == [1, 0]
    assert table["mean_candidates"].tolist() == [11, 11]
    assert table[["success@1_low", "success@1_high"]].isna().all(axis=None)


def test_on_keeps_the_queries_asked_for_in_their_order(methods):
    part = methods["BM25"].on(["q3", "q1"])
    assert part.values["mrr@10"].tolist() == [0.5, 1]
    assert part.best["mrr@10"].tolist() == [0.75, 1.25]
    assert part.worst["mrr@10"].tolist() == [0.25, 0.75]
    assert part.candidates.tolist() == [12, 10]
    with raises(KeyError):
        methods["BM25"].on(["q1", "not run"])


def test_the_mean_over_sources_counts_each_set_alike(methods):
    """Set "large" has three queries, "small" one, so this is not the mean over queries."""
    sources = pd.Series(["large", "large", "small", "large", "absent"], [*QIDS, "unjudged"])
    table = by_source({"SSR": methods["SSR"]}, sources)
    assert table.columns.tolist() == ["method", "source", "queries", "success@1", "mrr@10"]
    assert table["method"].tolist() == ["SSR"] * 3
    assert table["source"].tolist() == ["large", "small", "mean over sources"]
    assert table["queries"].tolist() == [3, 1, 4]
    assert table["success@1"].tolist() == approx([2 / 3, 0, 1 / 3])
    assert table["mrr@10"].tolist() == approx([0.25, 0.25, 0.25])


def test_each_method_has_its_own_rows_by_source(methods):
    table = by_source(methods, pd.Series("only", QIDS))
    assert table["method"].tolist() == ["BM25", "BM25", "SSR", "SSR"]
    assert table["success@1"].tolist() == [0.75, 0.75, 0.5, 0.5]


def test_comparison_by_hand(methods):
    table = comparison(methods, [("BM25", "SSR")], SETTINGS)
    assert table["measure"].tolist() == ["success@1", "mrr@10"]
    assert table[["method", "baseline"]].to_numpy().tolist() == [["BM25", "SSR"]] * 2
    assert table["queries"].tolist() == [4, 4]
    assert table["difference"].tolist() == [0.25, 0.5]
    assert table["increase"].tolist() == approx([0.5, 2.0])
    ours, other = methods["BM25"].values, methods["SSR"].values
    differences = mean_with_interval(ours - other, SETTINGS)
    assert table["difference_low"].tolist() == differences["low"].tolist()
    assert table["difference_high"].tolist() == differences["high"].tolist()


def test_comparison_keeps_the_order_of_the_pairs(methods):
    table = comparison(methods, [("SSR", "BM25"), ("BM25", "SSR")], SETTINGS)
    assert table["method"].tolist() == ["SSR", "SSR", "BM25", "BM25"]
    assert table["difference"].tolist() == [-0.25, -0.5, 0.25, 0.5]


def test_comparison_pairs_by_query_and_not_by_row(methods):
    turned = {**methods, "SSR": methods["SSR"].on(QIDS[::-1])}
    pairs = [("BM25", "SSR")]
    pd.testing.assert_frame_equal(
        comparison(turned, pairs, SETTINGS), comparison(methods, pairs, SETTINGS)
    )


def test_comparison_needs_a_baseline_on_all_queries(methods):
    sampled = {**methods, "SSR": methods["SSR"].on(["q1", "q2"])}
    with raises(KeyError):
        comparison(sampled, [("BM25", "SSR")], SETTINGS)
    table = comparison(sampled, [("SSR", "BM25")], SETTINGS)
    assert table["difference"].tolist() == [-0.5, -0.75]


def test_an_increase_over_nothing_is_empty():
    methods = {"a": evaluated([1, 1, 0, 0], [1] * 4), "b": evaluated([0] * 4, [0.5] * 4)}
    table = comparison(methods, [("a", "b")], SETTINGS)
    assert table["difference"].tolist() == [0.5, 0.5]
    assert table.loc[0, ["increase", "increase_low", "increase_high"]].isna().all()
    assert table.loc[1, ["increase", "increase_low", "increase_high"]].tolist() == approx([1] * 3)


RUN = [
    ("q1", "a", 1, 3.5, 2),
    ("q1", "b", 2, 1.25, 1),
    ("q1", "c", 3, 1.25, 1),
    ("q2", "a", 1, 0.1 + 0.2, 1),
]


def run_with(rows: list[tuple]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["qid", "id", "rank", "score", "matched"])


def compared(rows: list[tuple]) -> dict[str, float]:
    """The full scan is `RUN`; q3 found nothing."""
    candidates = pd.Series([4, 1, 0, 99], ["q1", "q2", "q3", "not sampled"])
    qids = ["q1", "q2", "q3"]
    return equivalence(run_with(RUN), run_with(rows), qids, 20, candidates).loc[0].to_dict()


def test_equivalence_of_identical_runs():
    assert compared(RUN) == {
        "queries": 3,
        "identical": 3,
        "identical_share": 1,
        "full_scan_scored": 20,
        "ssr_mean_scored": approx(5 / 3),
        "fewer_scored": approx(1 - 5 / 60),
    }


@mark.parametrize(
    "rows",
    [
        [("q1", "a", 1, 3.5, 2), ("q1", "c", 2, 1.25, 1), ("q1", "b", 3, 1.25, 1), RUN[3]],
        [RUN[0], RUN[1], RUN[3]],
        [RUN[1], RUN[2], RUN[3]],
        [*RUN[:3], ("q1", "d", 4, 1.0, 1), RUN[3]],
        [*RUN[:3], ("q2", "a", 1, 0.3, 1)],  # the last bit of the score
        [*RUN[:3], ("q2", "a", 1, 0.1 + 0.2, 2)],
        [*RUN[:3], ("q2", "A", 1, 0.1 + 0.2, 1)],
        RUN[:3],
        [*RUN, ("q3", "a", 1, 1.0, 1)],
    ],
    ids="swapped last-missing first-missing one-more score matched id nothing something".split(),
)
def test_what_breaks_identity(rows):
    found = compared(rows)
    assert found["identical"] == 2
    assert found["identical_share"] == approx(2 / 3)


def test_queries_outside_the_sample_do_not_count():
    assert compared([*RUN, ("not sampled", "a", 1, 1.0, 1)])["identical"] == 3


def test_read_evaluated_gives_back_what_was_measured(tmp_path):
    """Of three cards that tie on rank 1 to 3, the second is relevant; q2 found nothing."""
    run = pd.DataFrame({"qid": "q1", "id": ["x", "a", "y"], "rank": [1, 2, 3]})
    table = measured(
        run=run,
        candidates=pd.DataFrame({"qid": ["q1", "q2"], "candidates": [3, 0]}),
        ties=pd.DataFrame({"qid": ["q1"], "id": ["a"], "above": [0], "tied": [3]}),
        qrels=pd.DataFrame({"qid": ["q1", "q2"], "id": "a", "grade": 1}),
        k=3,
    )
    for stem in NAMES:
        table.to_parquet(tmp_path / f"{stem}.parquet")
    read = read_evaluated([tmp_path / "bm25.parquet", str(tmp_path / "ssr.parquet")], NAMES)
    assert list(read) == ["BM25", "SSR"]
    found = read["SSR"]
    names = ["success@1", "success@3", "recall@1", "recall@3", "mrr@3", "ndcg@3"]
    for part, mrr in ((found.values, 1 / 2), (found.best, 1), (found.worst, 1 / 3)):
        assert part.columns.tolist() == names
        assert part["mrr@3"].to_dict() == approx({"q1": mrr, "q2": 0})
    assert found.candidates.to_dict() == {"q1": 3, "q2": 0}


def test_ties_at_the_last_place_are_counted():
    queries = {"qid": ["a", "b", "c", "d"], "last_tied": [True, False, True, True]}
    found = last_places({"SSR": pd.DataFrame(queries)}, 10)
    assert found.to_dict("records") == [
        {"method": "SSR", "k": 10, "queries": 4, "tied": 3, "tied_share": 0.75}
    ]
