"""Stuffing a graph: an agent that claims other agents' tools, against Agent-as-a-Graph.

A node's text is copied from an honest node, so that its recorded vector is exactly its own, and no
model is needed. Ids begin with `!`: every tie goes to the adversarial agent.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from agent_discovery.cards import Card, Field
from agent_discovery.config import Graph
from agent_discovery.evaluation.graph_views import DIRECT, POOL, evaluate, seen, views_of
from agent_discovery.evaluation.intervals import columns, rate_with_interval
from agent_discovery.retrieval.graph import AGENT, TOOL, AgentGraph, Node
from agent_discovery.retrieval.graph_methods import compared
from agent_discovery.retrieval.graph_runs import Ask, dense_runs, lexical_runs
from agent_discovery.retrieval.whole_cards import lexical_searchers
from agent_discovery.robustness.attacks import ID_PREFIX, NO_ATTACK, SOURCE

ADVERSARY = f"{ID_PREFIX}agent"
VIEWS = (DIRECT, POOL)


class Claim(NamedTuple):
    """What the adversarial agent claims, in an honest agent's name and words: tools by number."""

    model: Node
    tools: Sequence[Node]


def _largest(graph: AgentGraph) -> Node:
    """The agent with most tools that has a node of its own, the first of several."""
    tools = np.bincount(graph.owner[~graph.is_agent], minlength=len(graph.agents))
    agents = [number for number, node in enumerate(graph.nodes) if node.kind == AGENT]
    return graph.nodes[max(agents, key=lambda number: (tools[graph.owner[number]], -number))]


def _tools_of(graph: AgentGraph, agent: str) -> list[Node]:
    return [node for node in graph.nodes if node.kind == TOOL and node.owner == agent]


def _one_each(graph: AgentGraph) -> list[Node]:
    firsts: dict[str, Node] = {}
    for node in graph.nodes:
        if node.kind == TOOL:
            firsts.setdefault(node.owner, node)
    return list(firsts.values())


CLAIMS: Mapping[str, Callable[[AgentGraph], Sequence[Node]]] = {
    "a copy of the largest agent": lambda graph: _tools_of(graph, _largest(graph).owner),
    "one tool of each agent": _one_each,
    "every tool of every agent": lambda graph: [node for node in graph.nodes if node.kind == TOOL],
}


def claim(graph: AgentGraph, name: str) -> Claim:
    """What an adversarial agent of one of `CLAIMS` claims."""
    return Claim(_largest(graph), CLAIMS[name](graph))


def claimed_graph(graph: AgentGraph, made: Claim) -> AgentGraph:
    """The graph with the adversarial agent and its tools."""
    agent = made.model._replace(id=ADVERSARY, owner=ADVERSARY)
    tools = [
        node._replace(id=f"{ADVERSARY}::{number:05}", owner=ADVERSARY)
        for number, node in enumerate(made.tools)
    ]
    return AgentGraph([*graph.nodes, agent, *tools])


def claimed_card(made: Claim) -> Card:
    """The adversarial agent as one whole card."""
    fields = [Field("name", made.model.name), Field("description", made.model.description)]
    for number, node in enumerate(made.tools):
        fields.append(Field(f"tools[{number}].name", node.name))
        fields.append(Field(f"tools[{number}].description", node.description))
    kept = tuple(one for one in fields if one.text.strip())
    return Card(ADVERSARY, made.model.name, made.model.description, kept, None, AGENT, SOURCE)


def claim_runs(
    cards: Sequence[Card],
    wanted: Sequence[Ask],
    vectors: Mapping[str, Mapping[str, np.ndarray]],
    graph: Graph,
    tie_break: str,
    max_signals: int,
) -> pd.DataFrame:
    """The agents that each method returns without a claim and with each, with a column `attack`.

    cards: agents and tools; vectors: by encoder, of every text; graph: the configuration.
    """
    honest = AgentGraph.from_cards(cards)
    config = graph.model_copy(update={"sweep": ()})
    parts = []
    for name in (NO_ATTACK, *CLAIMS):
        made = claim(honest, name) if name in CLAIMS else None
        seen_graph = claimed_graph(honest, made) if made else honest
        whole = [*cards, claimed_card(made)] if made else cards
        runs = [
            dense_runs(seen_graph, wanted, texts, encoder, config).agents
            for encoder, texts in vectors.items()
        ]
        with lexical_searchers(whole, graph.k, tie_break, max_signals) as searchers:
            runs.append(lexical_runs(searchers, wanted))
        parts.append(pa.concat_tables(runs).to_pandas().assign(attack=name))
    return pd.concat(parts, ignore_index=True)


def claims_table(runs: pd.DataFrame, labels: pd.DataFrame, graph: Graph) -> pd.DataFrame:
    """One row for each view, claim and method: the share of tasks whose K agents hold the
    adversarial one, recall, and the points of recall that it cost.

    runs: of `claim_runs`; labels: qid, id, grade, the primary ones; graph: the configuration.
    """
    k, of = graph.k, compared(graph)
    runs = runs[runs["method"].isin([*of.lexical, *of.dense])]
    rows = []
    for view in (view for view in VIEWS if view in views_of(runs)):
        for attack, some in runs.groupby("attack", sort=False):
            measured = evaluate(some, labels, view, k)
            shown = seen(some, view, k)
            for (encoder, method), values in measured.groupby(["encoder", "method"], sort=False):
                of_system = (shown["encoder"] == encoder) & (shown["method"] == method)
                reached = shown[of_system & (shown["id"] == ADVERSARY)]["qid"]
                hit = values["qid"].isin(reached).astype(float)
                row = {"view": view, "encoder": encoder, "method": method, "attack": attack}
                row |= {"k": k, "queries": len(values)}
                row |= columns("in_pool", rate_with_interval(hit))
                rows.append(row | {f"recall@{k}": values[f"recall@{k}"].mean()})
    table = pd.DataFrame(rows)
    keys = ["view", "encoder", "method"]
    before = table[table["attack"] == NO_ATTACK].set_index(keys)[f"recall@{k}"]
    table["recall_lost"] = (
        before.reindex(pd.MultiIndex.from_frame(table[keys])).to_numpy() - table[f"recall@{k}"]
    )
    return table
