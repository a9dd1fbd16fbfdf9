"""The choice of the budget K (SSR, RQ3): candidate recall by K, and the rule that picks one."""

from collections.abc import Mapping, Sequence

import pandas as pd

from agent_discovery.arbitration.task import CONDITION
from agent_discovery.config import Intervals
from agent_discovery.evaluation.intervals import columns, mean_with_interval, rate_with_interval
from agent_discovery.evaluation.samples import relevant_pairs

RECALL = "candidate_recall"


def first_hits(
    pools: pd.DataFrame, conditions: pd.DataFrame, relevant: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    """The place of the first relevant card in each condition's pool, as `first_hit`; empty if none.

    pools: qid, n, method, position, id; conditions: each qid, n and method, empty pools too.
    """
    found = pools.merge(relevant_pairs(relevant), on=["qid", "id"])
    first = found.groupby(CONDITION)["position"].min().rename("first_hit").reset_index()
    return conditions[CONDITION].merge(first, on=CONDITION, how="left")


def recall_by_depth(
    hits: pd.DataFrame, depths: Sequence[int], groups: Sequence[str] = ("n", "method")
) -> pd.DataFrame:
    """Candidate recall of the first k cards for each k, with its binomial interval.

    hits: `groups` and `first_hit`; pools must reach as deep as the largest k.
    """
    rows = []
    for key, group in hits.groupby(list(groups), sort=False):
        for k in sorted(depths):
            row = dict(zip(groups, key, strict=True)) | {"k": k, "queries": len(group)}
            recall = rate_with_interval((group["first_hit"] <= k).astype(float))
            rows.append(row | columns(RECALL, recall))
    measures = [RECALL, f"{RECALL}_low", f"{RECALL}_high"]
    return pd.DataFrame(rows, columns=[*groups, "k", "queries", *measures])


def validation_table(
    hits: pd.DataFrame,
    depths: Sequence[int],
    margin: float,
    sides: tuple[str, str],
    intervals: Intervals,
) -> pd.DataFrame:
    """Candidate recall by side, method and K; K is chosen on the first side, kept on the other.

    hits: side, n, method, qid, first_hit. `loss` is the recall that K gives away against the
    largest K, on the same queries, with its bootstrap interval; `within` whether that is at most
    `margin`; `selected` marks the smallest such K of the first side, and the same K of the second.
    """
    table = recall_by_depth(hits, depths, ["side", "n", "method"])
    losses = [
        _loss(hits[(hits["side"] == side) & (hits["method"] == method)], k, max(depths), intervals)
        for side, method, k in table[["side", "method", "k"]].itertuples(index=False)
    ]
    table[["loss", "loss_low", "loss_high"]] = pd.DataFrame(losses, table.index, range(3))
    # A loss is a difference of two shares of the same queries: compare it free of rounding.
    table["within"] = table["loss"] <= margin + 1e-9
    chosen = table[(table["side"] == sides[0]) & table["within"]].groupby("method")["k"].min()
    table["selected"] = table["k"] == table["method"].map(chosen)
    return table


def _loss(
    hits: pd.DataFrame, k: int, largest: int, intervals: Intervals
) -> tuple[float, float, float]:
    lost = ((hits["first_hit"] <= largest) & ~(hits["first_hit"] <= k)).astype(float)
    return tuple(mean_with_interval(lost.to_frame(), intervals).iloc[0])
