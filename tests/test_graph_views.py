"""The views, worked out by hand on two tasks, and the tables made from them."""

import math

import pandas as pd
from pytest import approx, fixture, mark

from agent_discovery.config import Intervals
from agent_discovery.evaluation.graph_tables import (
    Labelled,
    agent_labels,
    conclusions,
    shares,
    significance,
    system_table,
)
from agent_discovery.evaluation.graph_views import evaluate, primary_view, seen, views_of
from agent_discovery.evaluation.intervals import clustered_mean_with_interval, mean_with_interval
from agent_discovery.evaluation.paired import PERMUTATIONS, holm, sign_flip_p

COLUMNS = ["encoder", "method", "source", "qid", "position", "rank", "id"]
LISTS = {  # (source, qid, position): agents, best first
    ("question", "t1", 0): "abc",
    ("question", "t2", 0): "zyx",
    ("step", "t1", 1): "adb",
    ("step", "t1", 2): "aef",
    ("step", "t1", 3): "gab",
    ("step", "t2", 1): "xyz",
    ("request", "t1", 1): "fa",
    ("request", "t1", 2): "fd",
}
QRELS = pd.DataFrame(
    [("t1", "d", 1), ("t1", "g", 1), ("t2", "z", 1), ("t2", "y", 0)], columns=["qid", "id", "grade"]
)


def runs_of(lists: dict, method: str = "m", encoder: str = "e") -> pd.DataFrame:
    rows = [
        (encoder, method, source, qid, position, rank, agent)
        for (source, qid, position), agents in lists.items()
        for rank, agent in enumerate(agents, start=1)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


@fixture
def runs():
    return runs_of(LISTS)


def shown(runs: pd.DataFrame, view: str, k: int) -> dict:
    table = seen(runs, view, k).sort_values("rank")
    return {
        key if view == "step" else key[0]: "".join(part["id"])
        for key, part in table.groupby(["qid", "position"])
    }


def test_all_views_are_there(runs):
    assert views_of(runs) == ["direct", "step", "pool", "union", "both", "route"]
    assert views_of(runs[runs["source"] == "question"]) == ["direct"]
    assert (primary_view(["direct", "pool"]), primary_view(["direct"])) == ("pool", "direct")


def test_direct_and_step_are_the_lists_as_they_are(runs):
    assert shown(runs, "direct", 2) == {"t1": "ab", "t2": "zy"}
    assert shown(runs, "step", 2) == {
        ("t1", 1): "ad", ("t1", 2): "ae", ("t1", 3): "ga", ("t2", 1): "xy",
    }  # fmt: skip


@mark.parametrize(
    ("view", "k", "t1"),
    [
        ("pool", 2, "ag"),  # first places a, a, g
        ("pool", 5, "agdeb"),  # second places d, e, a; third places b, f, b
        ("pool", 9, "agdebf"),
        ("both", 5, "agbde"),  # the question's a and b come before the steps'
        ("route", 5, "fad"),
    ],
)
def test_merged_round_robin(runs, view, k, t1):
    assert shown(runs, view, k)["t1"] == t1


def measured(runs, view, k=2) -> dict:
    table = evaluate(runs, QRELS, view, k).set_index(["qid", "position"])
    return table.drop(columns=["encoder", "method"]).to_dict("index")


def test_measures_by_hand(runs):
    """At 2, pool t1 is a, g with d and g relevant; t2 is x, y with z relevant."""
    found = measured(runs, "pool")
    gain, ideal = 1 / math.log2(3), 1 + 1 / math.log2(3)
    assert found["t1", 0] == approx(
        {"recall@1": 0, "recall@2": 1 / 2, "map@1": 0, "map@2": 1 / 4, "ndcg@1": 0,
         "ndcg@2": gain / ideal}
    )  # fmt: skip
    assert set(found["t2", 0].values()) == {0}


def test_steps_are_judged_against_the_whole_tasks_agents(runs):
    found = measured(runs, "step")
    assert {unit: values["recall@2"] for unit, values in found.items()} == {
        ("t1", 1): 0.5, ("t1", 2): 0, ("t1", 3): 0.5, ("t2", 1): 0,
    }  # fmt: skip


def test_union_has_recall_only(runs):
    """The first two of t1's steps: a, d, e, g; of t2's: x, y."""
    found = measured(runs, "union")
    assert found["t1", 0]["recall@2"] == 1 and found["t1", 0]["recall@1"] == 0.5
    assert found["t2", 0]["recall@2"] == 0
    assert math.isnan(found["t1", 0]["ndcg@2"])


def test_a_task_for_which_nothing_came_back_counts_as_zero(runs):
    """t2 has no requests."""
    found = measured(runs, "route")
    assert found["t2", 0]["recall@2"] == 0 and found["t1", 0]["recall@2"] == 0
    assert measured(runs, "route", 3)["t1", 0]["recall@3"] == 0.5


def test_labels_of_tools_go_to_their_agents():
    owners = {"a": "a", "a::x": "a", "a::y": "a", "b": "b"}
    labels = pd.DataFrame(
        [("q", "a::x", 1), ("q", "b", 0), ("q", "a::y", 2)], columns=["qid", "id", "grade"]
    )
    assert agent_labels(labels, owners).values.tolist() == [["q", "a", 2], ["q", "b", 0]]


def test_intervals_resample_tasks_and_not_steps():
    values = pd.DataFrame({"m": [1.0, 1.0, 1.0, 0.0]})
    tasks = pd.Series(["t1", "t1", "t1", "t2"])
    found = clustered_mean_with_interval(values, tasks, Intervals())
    assert found.loc["m"].tolist() == [0.75, 0.0, 1.0]
    alone = pd.Series(["a", "b", "c", "d"])
    assert clustered_mean_with_interval(values, alone, Intervals()).equals(
        mean_with_interval(values, Intervals())
    )


def test_system_table_has_a_row_a_view_and_system(runs):
    both = pd.concat([runs, runs_of({("question", "t1", 0): "d"}, "question only")])
    systems = [("e", "m"), ("e", "question only")]
    table = system_table(Labelled(both, QRELS, 2), systems, Intervals())
    assert table["view"].tolist() == ["direct", *views_of(runs)]
    row = table[(table["view"] == "direct") & (table["method"] == "question only")].iloc[0]
    assert (row["queries"], row["recall@1"], row["recall@2"]) == (2, 0.25, 0.25)
    assert row["recall@2_low"] <= row["recall@2"] <= row["recall@2_high"]


def test_sign_flips_by_counting():
    """Of 2 ** 3 flips of (1, 1, 1), two have a mean as far from zero."""
    differences = pd.DataFrame({"all": [1.0, 1.0, 1.0], "none": [0.0] * 3, "even": [1.0, -1.0, 0]})
    found = sign_flip_p(differences, 42)
    assert found.to_dict() == approx({"all": 2 / 8, "none": 1.0, "even": 1.0})


def test_sign_flips_of_many_are_sampled_and_the_same_every_time():
    differences = pd.DataFrame({"x": [0.5] * 60})
    assert sign_flip_p(differences, 1)["x"] == approx(2 / (PERMUTATIONS + 1))
    assert sign_flip_p(differences, 1).equals(sign_flip_p(differences, 1))


def test_holm_by_hand():
    found = holm(pd.Series({"a": 0.01, "b": 0.04, "c": 0.03}))
    assert found.to_dict() == approx({"a": 0.03, "b": 0.06, "c": 0.06})


def many_tasks(agents: str, method: str) -> pd.DataFrame:
    return runs_of({("question", f"t{n}", 0): agents for n in range(12)}, method)


def test_significance_and_conclusions():
    runs = pd.concat(
        [many_tasks("ab", "base"), many_tasks("ba", "other"), many_tasks("ab", "twin")]
    )
    qids = [f"t{n}" for n in range(12)]
    labels = {
        kind: pd.DataFrame({"qid": qids, "id": agent, "grade": 1})
        for kind, agent in (("first", "a"), ("second", "b"), ("neither", "z"))
    }
    systems, base = [("e", "other"), ("e", "twin")], ("e", "base")
    tests = pd.concat(
        significance(Labelled(runs, qrels, 1), systems, base, Intervals()).assign(labels=kind)
        for kind, qrels in labels.items()
    )
    first = tests[tests["labels"] == "first"].set_index(["method", "measure"])
    assert first.loc[("other", "recall@1"), "difference"] == -1
    assert first.loc[("other", "recall@1"), "significant"]
    assert first.loc[("twin", "recall@1"), ["difference", "p"]].tolist() == [0, 1]
    table = conclusions(tests, ["first", "second"], ["neither"]).set_index(["method", "measure"])
    other, twin = table.loc[("other", "recall@1")], table.loc[("twin", "recall@1")]
    assert other[list(labels)].tolist() == ["below", "above", "no difference"]
    assert other["changes"] and other["others_differ"]
    assert not twin["changes"] and not twin["others_differ"]


def test_shares_count_what_led_to_the_first_items():
    agents = runs_of({("step", "t", 1): "abc"}).assign(
        via=["agent", "tool", "tool"], both=[True, False, False]
    )
    nodes = runs_of({("step", "t", 1): "wxyz"}).assign(kind=["agent", "tool", "agent", "agent"])
    table = shares(agents, nodes, [("e", "m")]).set_index("items")
    assert table.loc["nodes", ["agent", "tool"]].tolist() == [0.75, 0.25]
    assert table.loc["agents", ["agent", "tool", "both_kinds"]].tolist() == approx(
        [1 / 3, 2 / 3, 1 / 3]
    )
