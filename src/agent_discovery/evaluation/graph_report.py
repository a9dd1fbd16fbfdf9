"""All tables of a run of Agent-as-a-Graph, by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import pandas as pd

from agent_discovery.config import Graph, Intervals
from agent_discovery.errors import InputError
from agent_discovery.evaluation.graph_statistics import statistics_table
from agent_discovery.evaluation.graph_tables import (
    Labelled,
    System,
    conclusions,
    shares,
    significance,
    system_table,
)
from agent_discovery.evaluation.graph_views import ALL, ROUTE, views_of

LEXICAL = ""  # the encoder of a lexical method
TOOLS = "tools"  # the kind that is no agent label
USED = "used"  # what a model did: no annotation


class Compared(Protocol):
    """The methods of the tables, by name (`graph_methods.compared`)."""

    baseline: str
    lexical: list[str]
    dense: list[str]
    sweep: list[tuple[str, str, str]]


class Published(Protocol):
    """An encoder of the paper."""

    name: str
    runs_as: str | None
    needs: str


@dataclass(frozen=True)
class Report:
    """A run: `runs` and `shown` (the first K agents and nodes of each method), `labels` (labels,
    qid, id, grade), nodes and queries; what is compared, and how.
    """

    runs: pd.DataFrame
    shown: pd.DataFrame
    labels: pd.DataFrame
    nodes: pd.DataFrame
    queries: pd.DataFrame
    encoders: Sequence[str]
    compared: Compared
    graph: Graph
    intervals: Intervals

    def tables(self, published: Sequence[Published]) -> dict[str, pd.DataFrame]:
        """Every table. Raises InputError when the corpus has not the labels that are asked for."""
        wanted = self.graph.labels
        if wanted not in self.kinds:
            raise InputError(
                f"graph.labels: the corpus has no {wanted} labels, only {', '.join(self.kinds)}"
            )
        tests = self._tests()
        return {
            "baselines": system_table(self._labelled[wanted], self.systems, self.intervals),
            "significance": tests[tests["labels"] == wanted].drop(columns="labels"),
            "encoders": self._encoders(published),
            "weights": self._weights(),
            "shares": self._shares(),
            "statistics": self._statistics(),
            "sensitivity": self._sensitivity(),
            "conclusions": conclusions(tests, self._kinds(used=False), self._kinds(used=True)),
        }

    @property
    def kinds(self) -> list[str]:
        """The kinds of agent labels that there are, the primary ones first."""
        return [kind for kind in self.labels["labels"].unique() if kind != TOOLS]

    def _kinds(self, used: bool) -> list[str]:
        return [kind for kind in self.kinds if (kind == USED) == used]

    @property
    def systems(self) -> list[System]:
        """The lexical methods, and the dense ones with the first encoder."""
        return self._lexical() + self._dense(self.encoders[0])

    @cached_property
    def _labelled(self) -> dict[str, Labelled]:
        """The runs with each kind of labels; only the baselines but for the kind asked for."""
        compared = set(self.systems)
        keys = zip(self.runs["encoder"], self.runs["method"], strict=True)
        few = self.runs[[key in compared for key in keys]]
        return {
            kind: Labelled(
                self.runs if kind == self.graph.labels else few, self._judged(kind), self.graph.k
            )
            for kind in self.kinds
        }

    def _judged(self, kind: str) -> pd.DataFrame:
        return self.labels.loc[self.labels["labels"] == kind, ["qid", "id", "grade"]]

    def _lexical(self) -> list[System]:
        return [(LEXICAL, method) for method in self.compared.lexical]

    def _dense(self, encoder: str) -> list[System]:
        return [(encoder, method) for method in self.compared.dense]

    def _all_systems(self) -> list[System]:
        return [system for encoder in self.encoders for system in self._dense(encoder)]

    def _tests(self) -> pd.DataFrame:
        baseline = (self.encoders[0], self.compared.baseline)
        others = [system for system in self.systems if system != baseline]
        return pd.concat(
            significance(self._labelled[kind], others, baseline, self.intervals).assign(labels=kind)
            for kind in self.kinds
        )

    def _encoders(self, published: Sequence[Published]) -> pd.DataFrame:
        """Each encoder that ran, with every dense method, and those of the paper that did not."""
        table = system_table(self._labelled[self.graph.labels], self._all_systems(), self.intervals)
        absent = [one for one in published if one.runs_as not in self.encoders]
        rows = pd.DataFrame(
            [{"view": "not run", "encoder": one.name, "needs": one.needs} for one in absent]
        )
        table = pd.concat([table, rows], ignore_index=True)
        return table.astype({"queries": "Int64"})

    def _weights(self) -> pd.DataFrame:
        forms = {name: (form, ratio) for form, ratio, name in self.compared.sweep}
        systems = [(encoder, name) for encoder in self.encoders for name in forms]
        views = [view for view in self._views() if view not in (ALL, ROUTE)]
        table = system_table(self._labelled[self.graph.labels], systems, self.intervals, views)
        told = [forms[name] for name in table["method"]]
        table.insert(2, "form", [form for form, _ in told])
        table.insert(3, "weights", [ratio for _, ratio in told])
        return table.drop(columns="method")

    def _shares(self) -> pd.DataFrame:
        """Of every method that retrieves nodes; `weights` where it is of the sweep."""
        ratios = {name: ratio for _, ratio, name in self.compared.sweep}
        swept = [(encoder, name) for encoder in self.encoders for name in ratios]
        table = shares(self.runs, self.shown, [*self._all_systems(), *swept])
        table.insert(2, "weights", table["method"].map(ratios))
        return table

    def _views(self) -> list[str]:
        return views_of(self.runs)

    def _sensitivity(self) -> pd.DataFrame:
        parts = [
            system_table(self._labelled[kind], self.systems, self.intervals) for kind in self.kinds
        ]
        for kind, part in zip(self.kinds, parts, strict=True):
            part.insert(1, "labels", kind)
        return pd.concat(parts, ignore_index=True).sort_values(
            "view", kind="stable", key=lambda views: views.map(self._views().index)
        )

    def _statistics(self) -> pd.DataFrame:
        kinds = {kind: self._judged(kind) for kind in self.kinds}
        tools = int((self.labels["labels"] == TOOLS).sum())
        return statistics_table(self.nodes, self.queries, kinds, tools)
