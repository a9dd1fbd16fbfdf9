"""One request to Agent-as-a-Graph looked at closely: nodes, owners walked to, what weights change.

Nodes and orders are those of the retrievers themselves; nothing is ranked here by another rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from agent_discovery.retrieval.fusion import Weights
from agent_discovery.retrieval.graph import AGENT, TOOL, AgentGraph
from agent_discovery.retrieval.graph_methods import Asked, agent_as_a_graph

UNWEIGHTED = "1:1"


@dataclass(frozen=True)
class GraphCase:
    """A request, its cosines with all nodes (float64, shape (nodes,)), and the relevant agents.

    first: N, the nodes retrieved.
    """

    graph: AgentGraph
    text: str
    cosines: np.ndarray
    relevant: Sequence[str]
    first: int

    @cached_property
    def base(self) -> list[int]:
        """The first N nodes, best first."""
        return self._nodes(None)

    def _nodes(self, weights: Weights | None) -> list[int]:
        asked = Asked(self.cosines, self.cosines)
        return agent_as_a_graph(self.first, weights)(self.graph, asked).nodes

    def nodes(self, weights: Weights, shown: int) -> pd.DataFrame:
        """The first `shown` nodes by base rank: kind, cosine, the agent walked to, and the score
        and rank that the weights give.
        """
        after = {node: rank for rank, node in enumerate(self._nodes(weights), start=1)}
        rows = []
        for rank, number in enumerate(self.base[:shown], start=1):
            node = self.graph.nodes[number]
            score = weights.of(node.kind == AGENT) / (weights.k + rank)
            owner = self._owner(number)
            mark = "relevant" * (owner in self.relevant)
            rank_after = after[number]
            told = (score, rank_after, f"{rank - rank_after:+d}" if rank != rank_after else "0")
            rows.append((rank, node.kind, node.name, self.cosines[number], owner, mark, *told))
        names = ["base rank", "kind", "node", "cosine", "leads to", ""]
        after_names = [f"score at {weights.ratio}", f"rank at {weights.ratio}", "places gained"]
        return pd.DataFrame(rows, columns=[*names, *after_names])

    def _owner(self, node: int) -> str:
        return self.graph.agents[self.graph.owner[node]]

    def agents(self, weights: Weights, k: int) -> pd.DataFrame:
        """The first k agents, unweighted and weighted side by side, with the node that led to
        each.
        """
        columns: dict[str, list[str]] = {"rank": [str(rank) for rank in range(1, k + 1)]}
        for ratio, nodes in ((UNWEIGHTED, self.base), (weights.ratio, self._nodes(weights))):
            walked = list(self.graph.walked(nodes).items())[:k]
            told = [self._led(agent, node) for agent, node in walked]
            columns[f"agent at {ratio}"] = told + [""] * (k - len(told))
        return pd.DataFrame(columns)

    def _led(self, agent: int, node: int) -> str:
        name, by = self.graph.agents[agent], self.graph.nodes[node]
        how = "its own node" if by.id == name else f"{by.kind} {by.name}"
        return f"{name}, by {how}" + " (relevant)" * (name in self.relevant)

    def rank_of(self, agent: str, weights: Weights | None = None) -> int | None:
        """An agent's rank among the distinct agents; None when no node of it is among the N."""
        found = [self.graph.agents[place] for place in self.graph.walked(self._nodes(weights))]
        return found.index(agent) + 1 if agent in found else None

    def near(self) -> bool:
        """Whether any relevant agent is among those that the nodes lead to."""
        return any(self.rank_of(agent) is not None for agent in self.relevant)

    def why(self, weights: Weights, k: int) -> str:
        """In words: where each relevant agent comes, unweighted and weighted."""
        of_tools = sum(self.graph.nodes[node].kind == TOOL for node in self.base)
        told = [
            f"Of the first {len(self.base)} nodes {of_tools} are tools and "
            f"{len(self.base) - of_tools} are agents."
        ]
        for agent in self.relevant:
            before, after = self.rank_of(agent), self.rank_of(agent, weights)
            if before is None:
                told.append(f"{agent} is missed: no node of it is among them.")
                continue
            kept = "within" if after <= k else "beyond"
            told.append(
                f"{agent} is agent {before} unweighted and {after} at {weights.ratio}, {kept} "
                f"the budget of K = {k}."
            )
        return " ".join(told)
