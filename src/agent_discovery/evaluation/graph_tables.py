"""The tables of Agent-as-a-Graph: systems in each view, paired tests, labels compared.

A system is an encoder (none for a lexical method) and a method. Measures come from `graph_views`.
"""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from agent_discovery.config import Intervals
from agent_discovery.evaluation.graph_views import SYSTEM, evaluate, measures_at, views_of
from agent_discovery.evaluation.intervals import clustered_mean_with_interval
from agent_discovery.evaluation.paired import holm, sign_flip_p

SIGNIFICANT = 0.05
ABOVE, BELOW, NO_DIFFERENCE = "above", "below", "no difference"
UNIT = ["qid", "position"]

System = tuple[str, str]


class Labelled:
    """Runs (`graph_views.seen`) with the labels to judge them by, and the budget K.

    A view is evaluated once, for all systems, when it is first asked for.
    """

    def __init__(self, runs: pd.DataFrame, qrels: pd.DataFrame, k: int):
        self.runs, self.qrels, self.k = runs, qrels, k
        self._wide: dict[str, pd.DataFrame] = {}

    def wide(self, view: str, systems: Iterable[System]) -> pd.DataFrame:
        """A view's measures: a row a unit (qid, position), columns (encoder, method, measure).

        Systems that do not have the view are left out, and so are measures that the view has not.
        """
        if view not in self._wide:
            self._wide[view] = _wide(evaluate(self.runs, self.qrels, view, self.k))
        table = self._wide[view]
        wanted = set(systems)
        return table.loc[:, [column[:2] in wanted for column in table.columns]]


def _wide(values: pd.DataFrame) -> pd.DataFrame:
    table = values.set_index([*UNIT, *SYSTEM]).rename_axis("measure", axis="columns")
    table = table.dropna(axis="columns", how="all").unstack(SYSTEM)
    return table.reorder_levels([*SYSTEM, "measure"], axis="columns")


def agent_labels(qrels: pd.DataFrame, owners: Mapping[str, str]) -> pd.DataFrame:
    """Labels of agents from labels of agents and tools: a tool's goes to its owner, the best grade
    counts. owners: node id -> agent id. Keeps the order of first appearance.
    """
    walked = qrels.assign(id=qrels["id"].map(owners))
    return walked.groupby(["qid", "id"], sort=False)["grade"].max().reset_index()


def system_table(
    labelled: Labelled,
    systems: Sequence[System],
    intervals: Intervals,
    views: Iterable[str] | None = None,
) -> pd.DataFrame:
    """One row for each view and system in order: tasks, each measure and its interval by task."""
    rows = []
    for view in views if views is not None else views_of(labelled.runs):
        values = labelled.wide(view, systems)
        tasks = values.index.get_level_values("qid").to_series()
        means = clustered_mean_with_interval(values, tasks, intervals)
        for encoder, method in systems:
            row = {"view": view, "encoder": encoder, "method": method, "queries": tasks.nunique()}
            for measure in measures_at(labelled.k):
                found = (encoder, method, measure)
                ends = means.loc[found] if found in means.index else (None, None, None)
                row |= dict(zip(_ends(measure), ends, strict=True))
            rows.append(row)
    table = pd.DataFrame(rows)
    return table[table[f"recall@{labelled.k}"].notna()].reset_index(drop=True)


def _ends(measure: str) -> tuple[str, str, str]:
    return measure, f"{measure}_low", f"{measure}_high"


def significance(
    labelled: Labelled,
    systems: Sequence[System],
    baseline: System,
    intervals: Intervals,
) -> pd.DataFrame:
    """Paired tests of each system against `baseline`, recall and nDCG at K, in each view.

    The unit is a task (its steps are added up); p by sign flips, Holm's family is all tests of one
    view. `difference` is the system's mean less the baseline's.
    """
    parts = []
    for view in views_of(labelled.runs):
        values = labelled.wide(view, [*systems, baseline])
        pairs = {
            (*system, measure): values[(*system, measure)] - values[(*baseline, measure)]
            for system in systems
            for measure in (f"recall@{labelled.k}", f"ndcg@{labelled.k}")
            if {(*system, measure), (*baseline, measure)} <= set(values.columns)
        }
        if pairs:
            parts.append(_tested(pd.DataFrame(pairs), view, baseline, intervals))
    return pd.concat(parts, ignore_index=True)


def _tested(
    differences: pd.DataFrame, view: str, baseline: System, intervals: Intervals
) -> pd.DataFrame:
    tasks = differences.index.get_level_values("qid").to_series()
    table = clustered_mean_with_interval(differences, tasks, intervals)
    table.columns = ["difference", "difference_low", "difference_high"]
    table["p"] = sign_flip_p(differences.groupby(tasks.to_numpy()).sum(), intervals.seed)
    table["p_holm"] = holm(table["p"])
    table["significant"] = table["p_holm"] < SIGNIFICANT
    table = table.rename_axis(["encoder", "method", "measure"]).reset_index()
    table.insert(0, "view", view)
    table.insert(3, "baseline", baseline[1])
    table.insert(5, "queries", tasks.nunique())
    return table


def conclusions(
    tests: pd.DataFrame, annotated: Sequence[str], others: Sequence[str]
) -> pd.DataFrame:
    """What is concluded under each kind of labels, and whether that changes with the choice.

    tests: `significance` with a column `labels`. A row a view, method and measure; a column for
    each kind of labels: the method is above, below, or no different after Holm's correction.
    `changes`: among the `annotated` kinds; `others_differ`: another kind says otherwise than the
    first of them.
    """
    told = tests.assign(
        told=[
            NO_DIFFERENCE if not row.significant else ABOVE if row.difference > 0 else BELOW
            for row in tests.itertuples()
        ]
    )
    keys = ["view", "encoder", "method", "baseline", "measure"]
    order = told[keys].drop_duplicates()
    table = told.pivot(index=keys, columns="labels", values="told").reset_index()
    table = order.merge(table, on=keys)[[*keys, *annotated, *others]]
    first = table[annotated[0]]
    table["changes"] = table[list(annotated)].nunique(axis="columns") > 1
    table["others_differ"] = [
        any(row[kind] != first[place] for kind in others) for place, row in table.iterrows()
    ]
    return table


def shares(agents: pd.DataFrame, nodes: pd.DataFrame, systems: Sequence) -> pd.DataFrame:
    """From which nodes the first K items come, for each system and source of queries.

    Items are nodes (`nodes`: source, kind) or agents (`agents`: via, both), of which the first node
    that led there counts; `both_kinds` is the share of agents that nodes of both kinds led to.
    """
    rows = []
    for items, table, column in (("nodes", nodes, "kind"), ("agents", agents, "via")):
        for (encoder, method, source), part in table.dropna(subset=column).groupby(
            [*SYSTEM, "source"], sort=False
        ):
            if (encoder, method) not in systems:
                continue
            row = {"encoder": encoder, "method": method, "source": source, "items": items}
            row |= {kind: (part[column] == kind).mean() for kind in ("agent", "tool")}
            both = part["both"].astype(float).mean() if items == "agents" else None
            rows.append(row | {"both_kinds": both})
    return pd.DataFrame(rows)
