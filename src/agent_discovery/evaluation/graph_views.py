"""The views of Agent-as-a-Graph's evaluation: what is asked, and what counts as the answer.

This is their one definition. A task is a query with labels; K is the budget of agents.

- `direct`: the question is the query; its first K agents answer the task.
- `step`: each annotated step is a query, and its first K agents are judged against the agents of
  the whole task. The mean is over steps.
- `pool`: the lists of a task's steps merged round-robin (all first places in the order of the
  steps, then all second places ...), each agent once, cut at K: a true budget of K agents a task.
- `union`: all agents among the first K of any step of a task; no true budget, so recall only. What
  the paper's Recall@K appears to be.
- `both`: as `pool`, with the question's list before those of the steps.
- `route`: as `pool`, of the lists of the requests that a real model wrote for the task.

`direct` and `pool` are primary. Intervals and tests treat a task as the unit that was sampled.
"""

from collections.abc import Sequence

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import AP, R, nDCG

from agent_discovery.evaluation.measures import values_of

DIRECT, STEP, POOL, UNION, ALL, ROUTE = "direct", "step", "pool", "union", "both", "route"
SOURCES = {  # the lists that a view is made of, in the order in which they are merged
    DIRECT: ("question",),
    STEP: ("step",),
    POOL: ("step",),
    UNION: ("step",),
    ALL: ("question", "step"),
    ROUTE: ("request",),
}
CUTOFFS = (1, 3, 5)
SYSTEM = ["encoder", "method"]
TASK = [*SYSTEM, "qid"]
EVERY = 10_000  # deeper than any union of lists


def measures_at(k: int) -> dict[str, ir_measures.Measure]:
    """Recall, mAP and nDCG at each cutoff up to K, by column name."""
    cutoffs = sorted({cutoff for cutoff in CUTOFFS if cutoff < k} | {k})
    kinds = {"recall": R, "map": AP, "ndcg": nDCG}
    return {f"{name}@{cut}": kind @ cut for name, kind in kinds.items() for cut in cutoffs}


def views_of(runs: pd.DataFrame) -> list[str]:
    """The views that some runs can be seen in."""
    there = set(runs["source"])
    return [view for view, sources in SOURCES.items() if set(sources) <= there]


def seen(runs: pd.DataFrame, view: str, k: int) -> pd.DataFrame:
    """A view of some runs: encoder, method, qid, position, rank, id. Not for `union`.

    runs: the same columns and `source`. position: 0 but in the view `step`.
    """
    sources = SOURCES[view]
    lists = runs[runs["source"].isin(sources)]
    if view in (DIRECT, STEP):
        return lists.loc[lists["rank"] <= k, [*TASK, "position", "rank", "id"]]
    turn = lists["source"].map({source: place for place, source in enumerate(sources)})
    merged = lists.assign(turn=turn).sort_values([*TASK, "rank", "turn", "position"], kind="stable")
    merged = merged.drop_duplicates([*TASK, "id"])
    merged = merged.assign(position=0, rank=merged.groupby(TASK).cumcount() + 1)
    return merged.loc[merged["rank"] <= k, [*TASK, "position", "rank", "id"]]


def evaluate(runs: pd.DataFrame, qrels: pd.DataFrame, view: str, k: int) -> pd.DataFrame:
    """Measures of each system on each task (in `step`, each step) that has a positive label.

    runs: as for `seen`; qrels: qid, id, grade. Returns encoder, method, qid, position and a column
    a measure, empty where the view has none. A task for which nothing came back counts as 0.
    """
    if view == UNION:
        return _union(runs, qrels, k)
    units = _units(runs, qrels, view)
    return _measured(seen(runs, view, k), units, qrels, measures_at(k))


def _units(runs: pd.DataFrame, qrels: pd.DataFrame, view: str) -> pd.DataFrame:
    """What each system is judged on: every labelled task, or every step of one that was asked."""
    judged = qrels.loc[qrels["grade"] > 0, "qid"].drop_duplicates()
    there = runs[[*SYSTEM, "source"]].drop_duplicates()
    there = there[there["source"].isin(SOURCES[view])]
    systems = there.groupby(SYSTEM, sort=False).size().eq(len(SOURCES[view]))
    systems = systems[systems].index.to_frame(index=False)
    if view != STEP:
        units = pd.DataFrame({"qid": judged, "position": 0})
    else:
        steps = runs.loc[runs["source"] == STEP, ["qid", "position"]].drop_duplicates()
        units = steps[steps["qid"].isin(judged)].sort_values(["qid", "position"])
    return systems.merge(units, how="cross").reset_index(drop=True)


def _measured(
    run: pd.DataFrame,
    units: pd.DataFrame,
    qrels: pd.DataFrame,
    measures: dict[str, ir_measures.Measure],
) -> pd.DataFrame:
    keys = [*TASK, "position"]
    numbered = units.assign(unit=[str(place) for place in range(len(units))])
    part = run.merge(numbered, on=keys)[["unit", "id", "rank"]].rename(columns={"unit": "qid"})
    labels = numbered[["unit", "qid"]].merge(qrels, on="qid")[["unit", "id", "grade"]]
    labels = labels.rename(columns={"unit": "qid"})
    values = values_of(part, labels, numbered["unit"].tolist(), measures)
    return pd.concat([units[keys], values.reset_index(drop=True)], axis="columns")


def _union(runs: pd.DataFrame, qrels: pd.DataFrame, k: int) -> pd.DataFrame:
    units = _units(runs, qrels, UNION)
    table = units[[*TASK, "position"]]
    for name in measures_at(k):
        kind, cutoff = name.split("@")
        values: np.ndarray | float = np.nan
        if kind == "recall":
            lists = runs[(runs["source"] == STEP) & (runs["rank"] <= int(cutoff))]
            each = lists.drop_duplicates([*TASK, "id"])[[*TASK, "id"]]
            each = each.assign(position=0, rank=each.groupby(TASK).cumcount() + 1)
            values = _measured(each, units, qrels, {name: R @ EVERY})[name].to_numpy()
        table = table.assign(**{name: values})
    return table


def primary_view(views: Sequence[str]) -> str:
    """The view that is looked at first: a true budget of K agents a task."""
    return POOL if POOL in views else DIRECT
