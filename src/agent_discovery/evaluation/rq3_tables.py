"""RQ3's tables (SSR, Tables IV and V, and the sensitivity to K), from selections and pools."""

from collections.abc import Mapping, Sequence

import pandas as pd

from agent_discovery.config import Intervals
from agent_discovery.evaluation.depth import first_hits, recall_by_depth
from agent_discovery.evaluation.selection import outcomes, selection_table, shown, with_savings
from agent_discovery.evaluation.significance import paired_tests
from agent_discovery.retrieval.pools import BM25, FULL_CATALOG, SSR

METHODS = [FULL_CATALOG, SSR, BM25]
PAIRS = [(SSR, FULL_CATALOG), (BM25, FULL_CATALOG), (SSR, BM25)]
ACCURACY, HIT = "end_to_end_accuracy", "candidate_recall"
# Of a selection, what tells about a budget; the rest is in Table IV.
BUDGET_MEASURES = [
    "selection_accuracy",
    "selection_accuracy_low",
    "selection_accuracy_high",
    "end_to_end_accuracy",
    "end_to_end_accuracy_low",
    "end_to_end_accuracy_high",
    "mean_input_tokens",
    "mean_cost_usd",
]


def table4(selected: pd.DataFrame, intervals: Intervals) -> pd.DataFrame:
    """Table IV: one row for each N and method, in the paper's order, from `outcomes`."""
    table = in_order(selection_table(selected, intervals))
    return with_savings(table, FULL_CATALOG)


def in_order(table: pd.DataFrame) -> pd.DataFrame:
    """Rows by N, then by method: full catalog, SSR, BM25, then by K where there is one."""
    keys = [name for name in ("n", "method", "k") if name in table]
    placed = table.assign(method=table["method"].map(METHODS.index))
    return table.loc[placed.sort_values(keys, kind="stable").index].reset_index(drop=True)


def table5(selected: pd.DataFrame, intervals: Intervals) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table V: McNemar's tests of end-to-end correctness of every pair at every N, one family;
    and the same of candidate hits for SSR against BM25, another family, which need no LLM.
    """
    ran = set(selected["method"])
    pairs = [pair for pair in PAIRS if ran.issuperset(pair)]
    return (
        paired_tests(selected, ACCURACY, pairs, intervals),
        paired_tests(selected, HIT, [(SSR, BM25)], intervals),
    )


def k_sensitivity(
    pools: pd.DataFrame,
    conditions: pd.DataFrame,
    arbitration: pd.DataFrame,
    relevant: Mapping[str, Sequence[str]],
    depths: Sequence[int],
    intervals: Intervals,
) -> pd.DataFrame:
    """Candidate recall by N, method and K; accuracy and cost beside it where the LLM selected.

    pools and conditions reach as deep as the largest K; arbitration: the records at some N and
    some K.
    """
    conditions = conditions[conditions["method"] != FULL_CATALOG]
    table = recall_by_depth(first_hits(pools, conditions, relevant), depths)
    rows = [
        selection_table(outcomes(records, shown(pools, k), relevant), intervals)
        for k, records in arbitration.groupby("k")
    ]
    if rows:
        keys = ["n", "method", "k"]
        chosen = pd.concat(rows).astype({"k": int})[[*keys, *BUDGET_MEASURES]]
        table = table.merge(chosen, on=keys, how="left")
    return in_order(table)
