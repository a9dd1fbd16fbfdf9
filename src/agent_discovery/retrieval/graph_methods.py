"""The dense retrievers of the Agent-as-a-Graph comparison (sections 3.2, 3.3 and 4.1).

Each takes the cosines of one query with all nodes and returns agents, best first. Numbers of agents
are places in `AgentGraph.agents`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from agent_discovery.config import Graph
from agent_discovery.retrieval.dense import ranked
from agent_discovery.retrieval.fusion import Weights, standard, type_specific
from agent_discovery.retrieval.graph import AgentGraph
from agent_discovery.retrieval.whole_cards import BM25, SSR

AGENT_ONLY, TOOL_ONLY = "Agent-only", "Tool-only (ScaleMCP-like)"
AGENT_AS_A_GRAPH, MCPZERO = "Agent-as-a-Graph", "MCPZero-like"
TYPE_SPECIFIC, STANDARD = "Type-specific wRRF", "Standard weighted RRF"
STANDARD_NODES = "Standard weighted RRF over nodes"
SERVER_AND_TOOL = f"{AGENT_AS_A_GRAPH}, server and tool text"
FORMS = (TYPE_SPECIFIC, STANDARD)
MCPZERO_AGENTS = 10


@dataclass(frozen=True)
class Ranking:
    """A query's agents, best first, and the nodes, best first, that led to them (if nodes did)."""

    agents: list[int]
    nodes: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Asked:
    """What a retriever sees of a query: cosines with all nodes, float64, shape (nodes,).

    agents: of the text that is put to agents; it differs from `nodes` for a request that names the
    server and the tool that it wants apart (MCPZero's form).
    """

    nodes: np.ndarray
    agents: np.ndarray


Retriever = Callable[[AgentGraph, Asked], Ranking]


def _walked(graph: AgentGraph, nodes: list[int]) -> Ranking:
    return Ranking(list(graph.walked(nodes)), nodes)


def agent_only(first: int) -> Retriever:
    """Only agent nodes are searched."""
    return lambda graph, asked: _walked(graph, ranked(asked.agents, graph.is_agent, first))


def tool_only(first: int) -> Retriever:
    """Only tool nodes are searched; each leads to its agent."""
    return lambda graph, asked: _walked(graph, ranked(asked.nodes, ~graph.is_agent, first))


def agent_as_a_graph(first: int, weights: Weights | None = None) -> Retriever:
    """All nodes in one list, by default unweighted, else re-ranked by type; each leads to its
    agent.
    """

    def retrieve(graph: AgentGraph, asked: Asked) -> Ranking:
        nodes = ranked(asked.nodes, np.ones(len(graph.nodes), bool), first)
        if weights is not None:
            nodes = type_specific(nodes, graph.is_agent, weights)
        return _walked(graph, nodes)

    return retrieve


def standard_weighted(first: int, weights: Weights, over_nodes: bool = False) -> Retriever:
    """Agent nodes and tool nodes ranked apart, then fused by summing reciprocal ranks.

    An item of the fusion is an agent: each list is first walked to its distinct agents. With
    `over_nodes` an agent sums over all its nodes in a list, which favours agents with many tools;
    the paper does not say which.
    """

    def retrieve(graph: AgentGraph, asked: Asked) -> Ranking:
        lists = []
        for weight, among in ((weights.agent, graph.is_agent), (weights.tool, ~graph.is_agent)):
            nodes = ranked(asked.nodes, among, first)
            agents = graph.owner[nodes].tolist() if over_nodes else list(graph.walked(nodes))
            lists.append((weight, agents))
        return Ranking(standard(lists, weights.k))

    return retrieve


def mcpzero(graph: AgentGraph, asked: Asked) -> Ranking:
    """The ten best agents, by s_a · s_t · max(s_a, s_t) with the agent's best tool.

    Agents without tools come after those with tools, in their own order.
    """
    best: dict[int, float] = {}
    for node in np.nonzero(~graph.is_agent)[0]:
        owner = int(graph.owner[node])
        best[owner] = max(best.get(owner, -1.0), float(asked.nodes[node]))
    scored = []
    for node in ranked(asked.agents, graph.is_agent, MCPZERO_AGENTS):
        agent, own = int(graph.owner[node]), float(asked.agents[node])
        tool = best.get(agent)
        score = own if tool is None else own * tool * max(own, tool)
        scored.append((tool is None, -score, agent))
    return Ranking([agent for _, _, agent in sorted(scored)])


def weighted_name(form: str, weights: Weights) -> str:
    """A weighted method's name in tables."""
    return f"{form} {weights.ratio}"


def sweep(config: Graph) -> dict[tuple[str, Weights], str]:
    """The weighted methods that are compared, (form, weights) -> name, with the configured one."""
    pairs = dict.fromkeys([*config.sweep, (config.agent_weight, config.tool_weight), (1, 1)])
    weights = [Weights(agent, tool, config.rrf_k) for agent, tool in pairs]
    weights.sort(key=lambda one: -one.agent / one.tool)
    return {(form, one): weighted_name(form, one) for form in FORMS for one in weights}


def dense_methods(config: Graph) -> Mapping[str, Retriever]:
    """Every dense method by its name in tables."""
    methods: dict[str, Retriever] = {
        AGENT_ONLY: agent_only(config.nodes),
        TOOL_ONLY: tool_only(config.nodes),
        MCPZERO: mcpzero,
        AGENT_AS_A_GRAPH: agent_as_a_graph(config.nodes),
    }
    for (form, weights), name in sweep(config).items():
        if form == TYPE_SPECIFIC:
            methods[name] = agent_as_a_graph(config.nodes, weights)
        else:
            methods[name] = standard_weighted(config.nodes, weights)
    even = Weights(1, 1, config.rrf_k)
    methods[weighted_name(STANDARD_NODES, even)] = standard_weighted(config.nodes, even, True)
    return methods


class Compared(NamedTuple):
    """The methods of the tables: (form, weights, name) of the sweep, the others by name, and the
    one that all are tested against.
    """

    baseline: str
    lexical: list[str]
    dense: list[str]
    sweep: list[tuple[str, str, str]]


def compared(config: Graph) -> Compared:
    """What is compared with Agent-as-a-Graph, in the order of the tables."""
    names = sweep(config)
    ours = Weights(config.agent_weight, config.tool_weight, config.rrf_k)
    even = Weights(1, 1, config.rrf_k)
    return Compared(
        baseline=AGENT_AS_A_GRAPH,
        lexical=[BM25, SSR],
        dense=[
            AGENT_ONLY,
            TOOL_ONLY,
            MCPZERO,
            names[STANDARD, even],
            weighted_name(STANDARD_NODES, even),
            AGENT_AS_A_GRAPH,
            SERVER_AND_TOOL,
            names[TYPE_SPECIFIC, ours],
        ],
        sweep=[(form, weights.ratio, name) for (form, weights), name in names.items()],
    )
