"""Running the retrievers of the Agent-as-a-Graph comparison over questions, steps and requests."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from agent_discovery.config import Graph
from agent_discovery.files import rows_table
from agent_discovery.retrieval.dense import cosines, unit_vectors
from agent_discovery.retrieval.graph import AGENT, TOOL, AgentGraph
from agent_discovery.retrieval.graph_methods import (
    SERVER_AND_TOOL,
    Asked,
    Ranking,
    agent_as_a_graph,
    dense_methods,
)
from agent_discovery.retrieval.methods import Found

QUESTION, STEP, REQUEST = "question", "step", "request"

RUN_KEYS = [
    ("encoder", pa.string()),
    ("method", pa.string()),
    ("source", pa.string()),
    ("qid", pa.string()),
    ("position", pa.int32()),
    ("rank", pa.int32()),
    ("id", pa.string()),
]
# via: the kind of node that led to the agent; both: whether nodes of both kinds did.
AGENTS_SCHEMA = pa.schema([*RUN_KEYS, ("via", pa.string()), ("both", pa.bool_())])
NODES_SCHEMA = pa.schema([*RUN_KEYS, ("kind", pa.string())])


class Ask(NamedTuple):
    """One retrieval: of a query's question, one of its steps, or one of a model's requests.

    server: the text that is put to agents; `text` itself but for a request.
    """

    source: str
    qid: str
    position: int
    text: str
    server: str


class Runs(NamedTuple):
    """agents: `AGENTS_SCHEMA`, the first K of each; nodes: `NODES_SCHEMA`, the first K of each."""

    agents: pa.Table
    nodes: pa.Table


def asks(queries: pa.Table, requests: pa.Table) -> list[Ask]:
    """Everything to retrieve for. Where queries have steps, one without stands for its own step."""
    rows = queries.to_pylist()
    found = [Ask(QUESTION, row["qid"], 0, row["text"], row["text"]) for row in rows]
    if any(row["steps"] for row in rows):
        for row in rows:
            steps = enumerate(row["steps"] or [row["text"]], start=1)
            found += [Ask(STEP, row["qid"], position, step, step) for position, step in steps]
    found += [
        Ask(REQUEST, row["qid"], row["position"], row["tool"], row["server"])
        for row in requests.to_pylist()
    ]
    return found


def server_and_tool(ask: Ask) -> str:
    """Both texts of a request in one."""
    return f"{ask.server} {ask.text}"


def texts_to_embed(graph: AgentGraph, wanted: Iterable[Ask]) -> list[str]:
    """Every text that dense retrieval needs a vector of, sorted, each once."""
    texts = {node.text for node in graph.nodes}
    for ask in wanted:
        texts |= {ask.text, ask.server}
        if ask.source == REQUEST:
            texts.add(server_and_tool(ask))
    return sorted(texts)


def dense_runs(
    graph: AgentGraph,
    wanted: Sequence[Ask],
    vectors: Mapping[str, np.ndarray],
    encoder: str,
    config: Graph,
) -> Runs:
    """Every dense method over everything asked. Work is texts · nodes · dimensions, and a sort of
    the nodes for each method and text.
    """
    nodes = unit_vectors([node.text for node in graph.nodes], vectors)

    def scores(texts: Iterable[str]) -> np.ndarray:
        return cosines(unit_vectors(list(texts), vectors), nodes)

    asked = [
        Asked(*pair)
        for pair in zip(
            scores(ask.text for ask in wanted), scores(ask.server for ask in wanted), strict=True
        )
    ]
    runs = _Rows(graph, encoder, config.k)
    for method, retrieve in dense_methods(config).items():
        for ask, seen in zip(wanted, asked, strict=True):
            runs.add(method, ask, retrieve(graph, seen))
    requests = [ask for ask in wanted if ask.source == REQUEST]
    if requests:
        retrieve = agent_as_a_graph(config.nodes)
        for ask, row in zip(requests, scores(map(server_and_tool, requests)), strict=True):
            runs.add(SERVER_AND_TOOL, ask, retrieve(graph, Asked(row, row)))
    return runs.tables()


def lexical_runs(
    searchers: Mapping[str, Callable[[str], Found]], wanted: Sequence[Ask]
) -> pa.Table:
    """`AGENTS_SCHEMA`: the lexical methods over everything asked."""
    rows = [
        ("", method, ask.source, ask.qid, ask.position, rank, agent, None, None)
        for method, search in searchers.items()
        for ask in wanted
        for rank, agent in enumerate(search(ask.text).ids, start=1)
    ]
    return rows_table(rows, AGENTS_SCHEMA)


class _Rows:
    """The rows of the dense runs as they come."""

    def __init__(self, graph: AgentGraph, encoder: str, k: int):
        self._graph, self._encoder, self._k = graph, encoder, k
        self._agents: list[tuple] = []
        self._nodes: list[tuple] = []

    def add(self, method: str, ask: Ask, ranking: Ranking) -> None:
        head = (self._encoder, method, ask.source, ask.qid, ask.position)
        for rank, (agent, led) in enumerate(self._led(ranking), start=1):
            self._agents.append((*head, rank, self._graph.agents[agent], *led))
        for rank, node in enumerate(ranking.nodes[: self._k], start=1):
            self._nodes.append((*head, rank, self._graph.nodes[node].id, self._kind(node)))

    def _kind(self, node: int) -> str:
        return AGENT if self._graph.is_agent[node] else TOOL

    def _led(self, ranking: Ranking) -> Iterator[tuple[int, tuple[str | None, bool | None]]]:
        """The first K agents, each with the kind of its first node, and whether both kinds led."""
        kinds: dict[int, list[str]] = {}
        for node in ranking.nodes:
            kinds.setdefault(int(self._graph.owner[node]), []).append(self._kind(node))
        for agent in ranking.agents[: self._k]:
            led = kinds.get(agent)
            yield agent, (led[0], len(set(led)) > 1) if led else (None, None)

    def tables(self) -> Runs:
        return Runs(rows_table(self._agents, AGENTS_SCHEMA), rows_table(self._nodes, NODES_SCHEMA))
