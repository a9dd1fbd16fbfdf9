"""Fusion and the graph's retrievers, on six nodes worked out by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx, mark

from agent_discovery.config import Graph
from agent_discovery.retrieval.dense import cosines, ranked, unit_vectors
from agent_discovery.retrieval.fusion import Weights, standard, type_specific
from agent_discovery.retrieval.graph import AGENT, TOOL, AgentGraph, Node
from agent_discovery.retrieval.graph_methods import (
    Asked,
    agent_as_a_graph,
    agent_only,
    dense_methods,
    mcpzero,
    standard_weighted,
    tool_only,
)

# Numbers 0 to 5; agents p, q, r own the tools below them. r has none.
GRAPH = AgentGraph(
    [
        Node("p", AGENT, "p", "", "p"),
        Node("p::1", TOOL, "1", "", "p"),
        Node("p::2", TOOL, "2", "", "p"),
        Node("q", AGENT, "q", "", "q"),
        Node("q::1", TOOL, "1", "", "q"),
        Node("r", AGENT, "r", "", "r"),
    ]
)
P, P1, P2, Q, Q1, R = range(6)
# Base ranks: q::1 .9, p .8, p::2 .8 (a tie: the id decides), q .7, r .5, p::1 .1
SCORES = np.array([0.8, 0.1, 0.8, 0.7, 0.9, 0.5])
BASE = [Q1, P, P2, Q, R, P1]
ASKED = Asked(SCORES, SCORES)


def agents(retrieve, asked: Asked = ASKED) -> list[str]:
    return [GRAPH.agents[number] for number in retrieve(GRAPH, asked).agents]


def test_base_ranks_and_their_ties():
    assert ranked(SCORES, np.ones(6, bool), 6) == BASE
    assert ranked(SCORES, np.ones(6, bool), 3) == BASE[:3]
    assert ranked(SCORES, GRAPH.is_agent, 6) == [P, Q, R]


def test_type_specific_by_hand():
    """k = 0, agents 1.5: q::1 1/1, p 1.5/2, p::2 1/3, q 1.5/4, r 1.5/5, p::1 1/6."""
    assert type_specific(BASE, GRAPH.is_agent, Weights(1.5, 1, 0)) == [Q1, P, Q, P2, R, P1]


def test_type_specific_ties_go_to_the_smaller_base_rank():
    """k = 0, agents 2: q::1 1/1 and p 2/2 tie; q 2/4, r 2/5, p::2 1/3, p::1 1/6."""
    assert type_specific(BASE, GRAPH.is_agent, Weights(2, 1, 0)) == [Q1, P, Q, R, P2, P1]
    # Tools 2, agents 1: q::1 2/1, p::2 2/3, p 1/2, p::1 2/6, q 1/4, r 1/5.
    assert type_specific(BASE, GRAPH.is_agent, Weights(1, 2, 0)) == [Q1, P2, P, P1, Q, R]


def test_with_k_60_a_modest_weight_lifts_every_agent():
    """1.5 / (60 + 5) is above 1 / (60 + 1)."""
    assert type_specific(BASE, GRAPH.is_agent, Weights(1.5, 1, 60)) == [P, Q, R, Q1, P2, P1]


@given(st.permutations(range(6)), st.floats(0.1, 10), st.integers(0, 100))
def test_equal_weights_keep_the_order(order, weight, k):
    assert type_specific(order, GRAPH.is_agent, Weights(weight, weight, k)) == order


@given(st.permutations(range(6)), st.floats(0.1, 10), st.floats(0.1, 10))
def test_the_order_within_a_type_is_kept(order, agent, tool):
    fused = type_specific(order, GRAPH.is_agent, Weights(agent, tool, 60))
    for kind in (True, False):
        same = [node for node in order if GRAPH.is_agent[node] == kind]
        assert [node for node in fused if GRAPH.is_agent[node] == kind] == same


def test_standard_sums_over_lists_and_ties_go_to_the_smaller_number():
    """k = 0: item 1 has 2/1 + 1/2, item 2 has 2/2 + 1/1, item 3 has 2/3, item 4 has 1/3."""
    assert standard([(2, [1, 2, 3]), (1, [2, 1, 4])], 0) == [1, 2, 3, 4]
    assert standard([(1, [2, 1]), (1, [1, 2])], 60) == [1, 2]


def test_the_retrievers_by_hand():
    assert agents(agent_only(6)) == ["p", "q", "r"]
    assert agents(tool_only(6)) == ["q", "p"]
    assert agents(agent_as_a_graph(6)) == ["q", "p", "r"]
    assert agents(agent_as_a_graph(2)) == ["q", "p"]
    assert agents(agent_as_a_graph(6, Weights(1.5, 1, 60))) == ["p", "q", "r"]
    # Agents p, q, r and tools' agents q, p: p 1/1 + 1/2, q 1/2 + 1/1, r 1/3; the tie by id.
    assert agents(standard_weighted(6, Weights(1, 1, 0))) == ["p", "q", "r"]
    assert agents(standard_weighted(6, Weights(1, 2, 0))) == ["q", "p", "r"]
    # Over nodes the tools q::1, p::2, p::1 count: p 1/1 + 1/2 + 1/3, q 1/2 + 1/1.
    assert agents(standard_weighted(6, Weights(1, 1, 0), over_nodes=True)) == ["p", "q", "r"]


def test_mcpzero_by_hand():
    """p: .8 · .8 · .8 = .512; q: .7 · .9 · .9 = .567; r has no tool and comes last."""
    assert agents(mcpzero) == ["q", "p", "r"]
    # Its true form: other texts for servers and for tools.
    servers = np.array([0.9, 0, 0, 0.2, 0, 0.99])
    assert agents(mcpzero, Asked(SCORES, servers)) == ["p", "q", "r"]


def test_mcpzero_takes_ten_agents():
    nodes = [Node(f"s{n:02}", AGENT, "", "", f"s{n:02}") for n in range(12)]
    nodes += [Node(f"s{n:02}::t", TOOL, "", "", f"s{n:02}") for n in range(12)]
    graph = AgentGraph(nodes)
    scores = np.linspace(0.1, 0.9, len(nodes))
    assert len(mcpzero(graph, Asked(scores, scores)).agents) == 10


@mark.parametrize("seed", range(5))
def test_one_to_one_is_the_unweighted_order(seed):
    """Whatever the scores; the sweep has it, and so the curve has a point that must be so."""
    scores = np.round(np.random.default_rng(seed).random(6), 1)
    methods = dense_methods(Graph(nodes=6))
    even, plain = methods["Type-specific wRRF 1:1"], methods["Agent-as-a-Graph"]
    assert even(GRAPH, Asked(scores, scores)) == plain(GRAPH, Asked(scores, scores))


def test_cosines_are_of_unit_vectors_and_rounded():
    vectors = {"a": np.array([3.0, 4.0], np.float32), "b": np.array([0.0, 2.0], np.float32)}
    units = unit_vectors(["a", "b"], vectors)
    assert units.dtype == np.float64 and np.linalg.norm(units, axis=1) == approx(1)
    found = cosines(units, units)
    assert found.tolist() == [[1.0, 0.8], [0.8, 1.0]]
    noisy = cosines(units + 1e-9, units)
    assert (noisy == found).all()
