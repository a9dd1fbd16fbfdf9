"""Weighted reciprocal rank fusion over the nodes of a graph (Agent-as-a-Graph, section 3.3)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np


class Weights(NamedTuple):
    """Weights of agent and tool nodes, and the constant k in 1 / (k + rank)."""

    agent: float
    tool: float
    k: int

    def of(self, is_agent: bool) -> float:
        """The weight of a node's type."""
        return self.agent if is_agent else self.tool

    @property
    def ratio(self) -> str:
        """The weights as the paper writes them, `1.5:1`."""
        return f"{self.agent:g}:{self.tool:g}"


def type_specific(nodes: Sequence[int], is_agent: np.ndarray, weights: Weights) -> list[int]:
    """Re-rank one merged list: score = weight of the node's type / (k + base rank) (equation 3).

    nodes: node numbers, best first, so that base ranks are 1, 2, ...; is_agent: shape (all nodes,).
    Ties go to the smaller base rank. Equal weights keep the order.
    """
    scores = [
        weights.of(bool(is_agent[node])) / (weights.k + rank) for rank, node in enumerate(nodes, 1)
    ]
    places = sorted(range(len(nodes)), key=lambda place: (-scores[place], place))
    return [nodes[place] for place in places]


def standard(lists: Iterable[tuple[float, Sequence[int]]], k: int) -> list[int]:
    """Standard weighted reciprocal rank fusion: an item's score is the sum over lists of
    weight / (k + rank) (section 3.3.1).

    lists: (weight, items best first); an item that a list holds more than once counts each time.
    Ties go to the smaller number. Scores are added in the order of the lists.
    """
    scores: dict[int, float] = {}
    for weight, items in lists:
        for rank, item in enumerate(items, 1):
            scores[item] = scores.get(item, 0.0) + weight / (k + rank)
    return sorted(scores, key=lambda item: (-scores[item], item))
