"""What an LLM made of the pools it was shown: selections, and what they cost (RQ1 and RQ3).

Failures count as wrong end to end; they never enter the conditional accuracy's denominator unless
the call was answered (a parse failure was).
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from agent_discovery.arbitration.outcomes import ESTIMATE
from agent_discovery.config import Intervals
from agent_discovery.evaluation.intervals import columns, mean_with_interval, rate_with_interval
from agent_discovery.evaluation.samples import relevant_pairs
from agent_discovery.retrieval.pools import FULL_CATALOG

ANSWERED = ("ok", "parse_failure")
CALLED = ("ok", "parse_failure", "api_failure")
GROUPS = ["n", "method"]
RATES = ["candidate_recall", "end_to_end_accuracy", "selection_accuracy"]
MEANS = {
    "mean_candidates": "pool_size",
    "mean_input_tokens": "tokens_in",
    "mean_output_tokens": "tokens_out",
    "mean_cost_usd": "cost_usd",
}


def shown(pools: pd.DataFrame, k: int) -> pd.DataFrame:
    """What an LLM sees of `pools` at a budget of k: the first k, but all of a full catalog."""
    return pools[(pools["position"] <= k) | (pools["method"] == FULL_CATALOG)]


def outcomes(
    arbitration: pd.DataFrame, pools: pd.DataFrame, relevant: Mapping[str, list[str]]
) -> pd.DataFrame:
    """`arbitration` with `relevant_shown`, the relevant cards among the candidates, and with what
    each row is worth: `candidate_recall`, `end_to_end_accuracy`,
    `selection_accuracy` (empty where the target was no candidate or the call was not answered),
    and `first_accuracy`, what taking the first candidate would have been worth.

    pools: qid, n, method, position, id: what each call was shown.
    """
    pairs = relevant_pairs(relevant)
    hits = pools.merge(pairs, on=["qid", "id"]).groupby(["qid", *GROUPS]).size()
    hits = hits.rename("relevant_shown").reset_index()
    table = arbitration.merge(hits, on=["qid", *GROUPS], how="left")
    table["relevant_shown"] = table["relevant_shown"].fillna(0)
    table["candidate_recall"] = (table["relevant_shown"] > 0).astype(float)
    firsts = pools[pools["position"] == 1].merge(pairs, on=["qid", "id"])[["qid", *GROUPS]]
    table = table.merge(firsts.drop_duplicates().assign(first=1.0), on=["qid", *GROUPS], how="left")
    table["first_accuracy"] = table.pop("first").fillna(0.0)
    chosen = table[["qid", "selected_id"]].apply(tuple, axis="columns")
    right = chosen.isin(set(pairs.itertuples(index=False, name=None)))
    table["end_to_end_accuracy"] = (right & (table["outcome"] == "ok")).astype(float)
    counted = (table["candidate_recall"] == 1) & table["outcome"].isin(ANSWERED)
    table["selection_accuracy"] = table["end_to_end_accuracy"].where(counted, np.nan)
    return table


def selection_table(table: pd.DataFrame, intervals: Intervals) -> pd.DataFrame:
    """One row for each N and method, in the order of `table`, from `outcomes`.

    Rates have binomial intervals, other means bootstrap intervals. `chance_accuracy` is the
    end-to-end accuracy of a blind pick from each pool; `first_accuracy` that of always taking the
    first (pools are shown in rank order, so an arbiter that favours the first looks able);
    `first_selected` the share of selections that took it. `api_success_rate` and
    `valid_selection_rate` are shares of the calls that were made. `estimated_tokens` is the share
    of queries whose tokens are estimated, because no provider reported them.
    """
    table = table.assign(chance=table["relevant_shown"] / table["pool_size"].clip(lower=1))
    rows = []
    for (n, method), group in table.groupby(GROUPS, sort=False):
        row = {"n": n, "method": method, "k": group["k"].iloc[0], "queries": len(group)}
        for rate in RATES:
            row |= columns(rate, rate_with_interval(group[rate].dropna()))
        row["chance_accuracy"] = group["chance"].mean()
        row["first_accuracy"] = group["first_accuracy"].mean()
        row["first_selected"] = first_selected(group)
        row |= _means(group, intervals)
        row["estimated_tokens"] = (group["token_source"] == ESTIMATE).mean()
        rows.append(row | call_rates(group))
    return pd.DataFrame(rows).astype({"k": "Int64"})


def first_selected(group: pd.DataFrame) -> float:
    """The share of selections that took the first candidate. group: rows of `arbitration`."""
    return (group["selected_position"].dropna() == 1).mean()


def _means(group: pd.DataFrame, intervals: Intervals) -> dict[str, float]:
    found = mean_with_interval(group[list(MEANS.values())].astype(float), intervals)
    row = {}
    for name, mean in zip(MEANS, found.itertuples(index=False), strict=True):
        row |= columns(name, mean)
    return row


def call_rates(table: pd.DataFrame) -> dict[str, float]:
    """The calls of some conditions together: how many, and the shares answered and valid."""
    calls = table.loc[table["outcome"].isin(CALLED), "outcome"]
    return {
        "calls": len(calls),
        **columns("api_success_rate", rate_with_interval(calls.isin(ANSWERED))),
        **columns("valid_selection_rate", rate_with_interval(calls == "ok")),
    }


def with_savings(table: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """The table with the share of `baseline`'s tokens and cost that each method saves at its N.

    Empty where the baseline did not run, or its calls failed: their tokens are only estimated.
    """
    base = table[(table["method"] == baseline) & (table["estimated_tokens"] == 0)].set_index("n")
    saved = table.copy()
    for name in ("mean_input_tokens", "mean_cost_usd"):
        spent = saved["n"].map(base[name])
        saved[f"{name}_saved"] = 1 - saved[name] / spent.where(spent > 0)
    return saved
