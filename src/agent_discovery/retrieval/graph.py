"""The bipartite graph of Agent-as-a-Graph (section 3.1): agents, tools, and who owns which tool."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from agent_discovery.cards import Card
from agent_discovery.errors import InputError
from agent_discovery.files import rows_table

AGENT, TOOL = "agent", "tool"
PARENT_NAME = "parent.name"


NODES_SCHEMA = pa.schema(
    [(name, pa.string()) for name in ("id", "kind", "name", "description", "owner")]
)


class Node(NamedTuple):
    """An agent or a tool. `owner` is the id of its agent: an agent's own, a tool's parent's.

    A tool without a parent is an agent of its own: there is nothing else to hand a request to.
    """

    id: str
    kind: str
    name: str
    description: str
    owner: str

    @property
    def text(self) -> str:
        """What is embedded (section 3.1.2): name and description, whether or not there is any."""
        return f"{self.name}: {self.description}"


class AgentGraph:
    """Nodes by rising id, numbered from 0, and the agents that they lead to.

    nodes: all nodes. agents: the ids that retrieval returns, rising. owner: int64, shape (nodes,),
    each node's place in `agents`. is_agent: bool, shape (nodes,).
    """

    def __init__(self, nodes: Iterable[Node]):
        self.nodes: Sequence[Node] = sorted(nodes)
        self.agents = sorted({node.owner for node in self.nodes})
        place = {agent: number for number, agent in enumerate(self.agents)}
        self.owner = np.array([place[node.owner] for node in self.nodes], np.int64)
        self.is_agent = np.array([node.kind == AGENT for node in self.nodes], bool)

    @classmethod
    def from_cards(cls, cards: Iterable[Card]) -> "AgentGraph":
        """The graph of a corpus: cards with a parent are its tools.

        A parent without a card of its own has the name that its tools know it by, and no
        description. Raises InputError when no card has a parent: that is no graph.
        """
        cards = list(cards)
        nodes = {card.id: _node(card) for card in cards}
        children = [card for card in cards if card.parent is not None]
        if not children:
            raise InputError(
                "no card has a parent: Agent-as-a-Graph needs agents with their tools (MCP server "
                "manifests, Agent Cards with skills); see config/README.md, graph.corpus"
            )
        for card in children:
            if card.parent not in nodes:
                name = next((f.text for f in card.fields if f.field == PARENT_NAME), card.parent)
                nodes[card.parent] = Node(card.parent, AGENT, name, "", card.parent)
        return cls(nodes.values())

    @classmethod
    def read(cls, path: str | Path) -> "AgentGraph":
        """The graph that `table` was written as."""
        return cls(Node(**row) for row in pq.read_table(path).to_pylist())

    @property
    def table(self) -> pa.Table:
        """The nodes by rising id, `NODES_SCHEMA`."""
        return rows_table(self.nodes, NODES_SCHEMA)

    @property
    def edges(self) -> list[tuple[str, str]]:
        """Ownership, (tool, agent), by tool; a tool that is an agent of its own has none."""
        return [(node.id, node.owner) for node in self.nodes if node.id != node.owner]

    def walked(self, nodes: Iterable[int]) -> dict[int, int]:
        """The distinct agents of some nodes in order (section 3.2): agent -> the node that led to
        it first. Linear in the nodes.
        """
        found: dict[int, int] = {}
        for node in nodes:
            found.setdefault(int(self.owner[node]), int(node))
        return found


def _node(card: Card) -> Node:
    if card.parent is not None:
        return Node(card.id, TOOL, card.name, card.description, card.parent)
    kind = TOOL if card.kind == "tool" else AGENT
    # A passage has no name: its text stands for it.
    description = card.description or (card.text if not card.name else "")
    return Node(card.id, kind, card.name, description, card.id)
