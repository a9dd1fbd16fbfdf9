"""What selections are worth, on a table small enough to work out by hand."""

import pandas as pd
from pytest import approx, fixture

from agent_discovery.config import Intervals
from agent_discovery.evaluation.latency import end_to_end
from agent_discovery.evaluation.selection import (
    call_rates,
    outcomes,
    selection_table,
    with_savings,
)

INTERVALS = Intervals(resamples=100)
RELEVANT = {"q1": ["a"], "q2": ["b"], "q3": ["c"], "q4": ["d"]}
COLUMNS = ["qid", "n", "method", "k", "pool_size", "selected_id", "outcome", "tokens_in"]
SOURCES = {"api_failure": "estimate", "no_candidates": "none"}
POSITIONS = [1, None, 3, 2, 1, 1, None, None]


@fixture
def arbitration():
    """SSR: right, wrong, unreadable, no call; the full catalog: right but for a failed call."""
    rows = [
        ("q1", 10, "Full catalog", None, 10, "a", "ok", 100),
        ("q2", 10, "Full catalog", None, 10, None, "api_failure", 100),
        ("q3", 10, "Full catalog", None, 10, "c", "ok", 100),
        ("q4", 10, "Full catalog", None, 10, "d", "ok", 100),
        ("q1", 10, "SSR", 2, 2, "a", "ok", 40),
        ("q2", 10, "SSR", 2, 2, "x", "ok", 40),
        ("q3", 10, "SSR", 2, 1, None, "parse_failure", 20),
        ("q4", 10, "SSR", 2, 0, None, "no_candidates", 0),
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.assign(
        tokens_out=7,
        cost_usd=table["tokens_in"] / 1e6,
        selected_position=POSITIONS,
        token_source=table["outcome"].map(SOURCES).fillna("provider"),
    )


@fixture
def pools():
    """SSR's pools miss q2's target and show q1's and q3's; the full catalog shows all."""
    full = [(qid, 10, "Full catalog", 1, ids[0]) for qid, ids in RELEVANT.items()]
    ssr = [("q1", 1, "a"), ("q1", 2, "x"), ("q2", 1, "x"), ("q2", 2, "y"), ("q3", 1, "c")]
    shown = [*full, *((qid, 10, "SSR", place, card) for qid, place, card in ssr)]
    return pd.DataFrame(shown, columns=["qid", "n", "method", "position", "id"])


@fixture
def table(arbitration, pools):
    return selection_table(outcomes(arbitration, pools, RELEVANT), INTERVALS).set_index("method")


def test_failures_and_empty_pools_count_as_wrong_end_to_end(table):
    assert table["end_to_end_accuracy"].to_dict() == {"Full catalog": 0.75, "SSR": 0.25}
    assert table["candidate_recall"].to_dict() == {"Full catalog": 1.0, "SSR": 0.5}


def test_accuracy_given_a_hit_leaves_out_failed_calls_but_not_unreadable_answers(table):
    # Full catalog: 3 of the 3 answered. SSR: q1 right, q3 unreadable; q2 was no hit, q4 no call.
    assert table["selection_accuracy"].to_dict() == {"Full catalog": 1.0, "SSR": 0.5}


def test_chance_is_a_blind_pick_from_each_pool(table):
    # SSR: 1/2 for q1, 0 for q2 (its target is not there), 1 for q3, 0 for q4.
    assert table["chance_accuracy"].to_dict() == {"Full catalog": 0.1, "SSR": 0.375}


def test_taking_the_first_is_a_baseline_and_how_often_it_was_done_is_told(table):
    # SSR shows the targets of q1 and q3 first; both of its valid selections took the first.
    assert table["first_accuracy"].to_dict() == {"Full catalog": 1.0, "SSR": 0.5}
    assert table["first_selected"].to_dict() == {"Full catalog": approx(1 / 3), "SSR": 1.0}


def test_rates_are_shares_of_the_calls_that_were_made(table, arbitration):
    ssr = table.loc["SSR", ["calls", "api_success_rate", "valid_selection_rate"]]
    assert ssr.tolist() == [3, 1.0, approx(2 / 3)]
    rates = call_rates(arbitration)
    assert rates["calls"] == 7
    assert rates["api_success_rate"] == approx(6 / 7)
    assert rates["valid_selection_rate"] == approx(5 / 7)


def test_tokens_of_a_failed_call_are_told_as_estimates(table):
    assert table["estimated_tokens"].to_dict() == {"Full catalog": 0.25, "SSR": 0.0}


def test_budget_and_savings(table):
    assert table["k"].isna().to_dict() == {"Full catalog": True, "SSR": False}
    told = table.reset_index().assign(estimated_tokens=0.0)
    saved = with_savings(told, "Full catalog").set_index("method")
    assert saved["mean_input_tokens_saved"].to_dict() == {"Full catalog": 0.0, "SSR": 0.75}


def test_nothing_is_saved_against_an_estimate(table):
    # One of the full catalog's calls failed, so its tokens are partly estimated.
    saved = with_savings(table.reset_index(), "Full catalog")
    assert saved["mean_input_tokens_saved"].isna().all()


def test_rates_have_wilson_intervals(table):
    # 4 of 4 at 95%: Wilson's interval runs from 4 / (4 + z^2) to 1, with z = 1.959964.
    low, high = table.loc["Full catalog", ["candidate_recall_low", "candidate_recall_high"]]
    assert (low, high) == (approx(4 / (4 + 1.959964**2), abs=1e-6), approx(1.0))


def test_intervals_hold_the_mean(table):
    for rate in (
        "candidate_recall",
        "end_to_end_accuracy",
        "selection_accuracy",
        "mean_input_tokens",
        "mean_candidates",
        "api_success_rate",
    ):
        assert (table[f"{rate}_low"] <= table[rate]).all()
        assert (table[rate] <= table[f"{rate}_high"]).all()


def test_a_failed_call_has_no_end_to_end_latency():
    key = {"n": 10, "method": "SSR"}
    retrieval = pd.DataFrame(
        [
            {"qid": qid, **key, "retrieval_ms": 1.0, "retrieval_cpu_ms": 0.5}
            for qid in ("answered", "failed")
        ]
    )
    stages = [("answered", "prompt", 2.0), ("answered", "llm", 4.0), ("failed", "failure", 9.0)]
    arbitration = pd.DataFrame(
        [{"qid": q, **key, "stage": s, "wall_ms": ms, "cpu_ms": ms} for q, s, ms in stages]
    )
    found = end_to_end(retrieval, arbitration)
    whole = found[found["stage"] == "end_to_end"]
    assert whole[["qid", "wall_ms", "cpu_ms"]].values.tolist() == [["answered", 7.0, 6.5]]
    # The failed call's retrieval is no successful latency either.
    assert found.loc[found["qid"] == "failed", "stage"].tolist() == ["failure"]


def test_a_blind_pick_may_hit_any_of_several_relevant_cards(arbitration, pools):
    relevant = {**RELEVANT, "q2": ["x", "y"]}  # SSR shows both for q2: 1/2, 1, 1 and 0
    found = selection_table(outcomes(arbitration, pools, relevant), INTERVALS)
    assert found.set_index("method").loc["SSR", "chance_accuracy"] == 0.625
