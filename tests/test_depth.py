"""The choice of K, on pools small enough to work out by hand."""

import pandas as pd
from pytest import approx

from agent_discovery.config import Intervals
from agent_discovery.evaluation.depth import first_hits, recall_by_depth, validation_table

INTERVALS = Intervals(resamples=100)
SIDES = ("validation", "test")
RELEVANT = {"q1": ["a", "b"], "q2": ["c"], "q3": ["d"]}


def test_the_first_relevant_card_counts_and_an_empty_pool_hits_nothing():
    pools = pd.DataFrame(
        [("q1", 1, "x"), ("q1", 2, "b"), ("q1", 3, "a"), ("q2", 1, "d")],
        columns=["qid", "position", "id"],
    ).assign(n=10, method="SSR")
    conditions = pd.DataFrame({"qid": ["q1", "q2", "q3"], "n": 10, "method": "SSR"})
    found = first_hits(pools, conditions, RELEVANT)
    assert found["qid"].tolist() == ["q1", "q2", "q3"]
    assert found["first_hit"].fillna(0).tolist() == [2, 0, 0]


def test_recall_at_each_depth():
    hits = pd.DataFrame({"n": 10, "method": "SSR", "first_hit": [1, 3, 3, None]})
    table = recall_by_depth(hits, [5, 1, 3])
    assert table["k"].tolist() == [1, 3, 5]
    assert table["candidate_recall"].tolist() == [0.25, 0.75, 0.75]
    assert (table["queries"] == 4).all()
    # Wilson's interval of 1 in 4 by its formula.
    z = 1.959964
    centre = (0.25 + z * z / 8) / (1 + z * z / 4)
    half = z / (1 + z * z / 4) * (0.25 * 0.75 / 4 + z * z / 64) ** 0.5
    assert table.loc[0, "candidate_recall_low"] == approx(centre - half, abs=1e-6)
    assert table.loc[0, "candidate_recall_high"] == approx(centre + half, abs=1e-6)


def hits_of(side: str, method: str, firsts: list[float | None]) -> pd.DataFrame:
    qids = [f"{side}{place}" for place in range(len(firsts))]
    return pd.DataFrame({"side": side, "n": 10, "method": method, "qid": qids, "first_hit": firsts})


def test_the_smallest_k_within_the_margin_is_chosen_on_validation_and_kept_on_test():
    hits = pd.concat(
        [
            # Recall .90 at 5, .97 at 10, .98 at 20, .99 at 50: 10 is the first within 0.02.
            hits_of("validation", "SSR", [1] * 90 + [7] * 7 + [15] + [40] + [None]),
            # On test 10 loses 0.05, so it is outside of the margin, and is kept all the same.
            hits_of("test", "SSR", [1] * 90 + [40] * 5 + [None] * 5),
            # Another method chooses for itself.
            hits_of("validation", "BM25", [1] * 99 + [None]),
            hits_of("test", "BM25", [1] * 99 + [None]),
        ]
    )
    table = validation_table(hits, [5, 10, 20, 50], 0.02, SIDES, INTERVALS)
    chosen = table[table["selected"]].set_index(["side", "method"])
    assert chosen["k"].to_dict() == {
        ("validation", "SSR"): 10,
        ("test", "SSR"): 10,
        ("validation", "BM25"): 5,
        ("test", "BM25"): 5,
    }
    assert chosen.loc[("validation", "SSR"), "loss"] == approx(0.02)
    assert chosen.loc[("validation", "SSR"), "within"]
    assert chosen.loc[("test", "SSR"), "loss"] == approx(0.05)
    assert not chosen.loc[("test", "SSR"), "within"]
    largest = table[table["k"] == 50]
    assert (largest["loss"] == 0).all() and largest["within"].all()


def test_no_query_to_validate_on_gives_a_table_without_rows():
    empty = hits_of("validation", "SSR", [])
    table = validation_table(empty, [5, 10], 0.02, SIDES, INTERVALS)
    assert table.empty and "selected" in table and "loss_low" in table
