"""The graph of agents and tools, and its GraphML."""

from xml.etree import ElementTree

import pandas as pd
from corpus_files import lay, refusal
from pytest import mark

from agent_discovery.cards import Card, kept_fields
from agent_discovery.corpora import load_corpus
from agent_discovery.reporting.graphml import LOST, relevance, write_graphml
from agent_discovery.retrieval.graph import AGENT, TOOL, AgentGraph, Node
from agent_discovery.retrieval.whole_cards import lexical_searchers

XMLNS = "{http://graphml.graphdrawing.org/xmlns}"


def card(card_id: str, parent: str | None = None, description: str = "", kind: str = "") -> Card:
    name = card_id.split("::")[-1]
    parts = [("parent.name", f"the {parent}")] if parent else []
    fields = kept_fields([*parts, ("name", name), ("description", description)])
    kind = kind or ("tool" if parent else "agent")
    return Card(card_id, name, description, fields, parent, kind, "test")


def kinds(graph: AgentGraph) -> dict[str, str]:
    return {node.id: node.kind for node in graph.nodes}


def test_livemcpbench_is_the_papers_graph():
    graph = AgentGraph.from_cards(load_corpus("livemcpbench", "graph").cards)
    assert (len(graph.agents), len(graph.edges)) == (70, 527)
    assert int(graph.is_agent.sum()) == 70 and len(graph.nodes) == 597
    assert [node.id for node in graph.nodes] == sorted(node.id for node in graph.nodes)
    # Upstream's id does not describe the server, so it is no part of what is embedded.
    node = next(node for node in graph.nodes if node.id == "livemcpbench/coin-flip")
    assert node.text.startswith("MCP Server LeetCode: ") and "coin" not in node.text


def test_a_tool_leads_to_its_agent_and_each_agent_comes_once():
    graph = AgentGraph.from_cards([card("b"), card("a"), card("a::x", "a"), card("b::y", "b")])
    numbers = {node.id: number for number, node in enumerate(graph.nodes)}
    order = [numbers[name] for name in ("b::y", "a", "b", "a::x")]
    led = graph.walked(order)
    assert [graph.agents[agent] for agent in led] == ["b", "a"]
    assert [graph.nodes[node].id for node in led.values()] == ["b::y", "a"]


def test_a_tool_without_parent_is_an_agent_of_its_own():
    graph = AgentGraph.from_cards([card("lone", kind="tool"), card("a"), card("a::x", "a")])
    assert graph.agents == ["a", "lone"]
    assert kinds(graph) == {"a": AGENT, "a::x": TOOL, "lone": TOOL}
    assert graph.edges == [("a::x", "a")]


def test_a_parent_without_tools_is_a_node():
    graph = AgentGraph.from_cards([card("a"), card("a::x", "a"), card("bare")])
    assert graph.agents == ["a", "bare"] and kinds(graph)["bare"] == AGENT


def test_a_parent_without_a_card_has_the_name_that_its_tools_know():
    graph = AgentGraph.from_cards([card("a::x", "a"), card("a::y", "a")])
    assert graph.nodes[0] == Node("a", AGENT, "the a", "", "a")
    assert graph.agents == ["a"]


def test_an_empty_and_a_chinese_description():
    graph = AgentGraph.from_cards([card("a"), card("a::x", "a", "搜索网页")])
    assert [node.text for node in graph.nodes] == ["a: ", "x: 搜索网页"]


def test_two_servers_with_one_name_stay_apart(tmp_path):
    server = {"name": "same", "description": "d", "tools": [{"name": "t", "description": "e"}]}
    other = {**server, "description": "f"}
    lay(tmp_path, {"one.json": server, "two.json": other})
    graph = AgentGraph.from_cards(load_corpus(f"files:{tmp_path}", "graph").cards)
    assert graph.agents == ["one", "two"]
    assert graph.edges == [("one::t", "one"), ("two::t", "two")]


def test_a_bare_list_of_tools_has_no_agent(tmp_path):
    tools = [{"name": name, "inputSchema": {}} for name in ("t", "u")]
    lay(tmp_path, {"bare.json": tools})
    assert "no card has a parent" in refusal(
        AgentGraph.from_cards, load_corpus(f"files:{tmp_path}", "graph").cards
    )


def test_a_corpus_without_parents_is_refused():
    assert "no card has a parent" in refusal(AgentGraph.from_cards, [card("a"), card("b")])


def test_a_graph_reads_back_from_its_table(tmp_path):
    from agent_discovery.files import write_table

    graph = AgentGraph.from_cards([card("a"), card("a::x", "a", "é\n<&>"), card("b")])
    write_table(tmp_path / "nodes.parquet", graph.table)
    assert AgentGraph.read(tmp_path / "nodes.parquet").nodes == graph.nodes


HOSTILE = ["<script>&\"quot'", "]]>", "a\x00b\x1b", "搜索", "x" * 3000, "tab\tnew\nline"]


@mark.parametrize("text", HOSTILE)
def test_graphml_holds_any_text(tmp_path, text):
    nodes = pd.DataFrame(
        [
            (f"a{text}", AGENT, text, text, f"a{text}"),
            (f"a{text}::x", TOOL, "x", text, f"a{text}"),
        ],
        columns=["id", "kind", "name", "description", "owner"],
    )
    write_graphml(tmp_path / "graph.graphml", nodes, {f"a{text}": 3})
    root = ElementTree.parse(tmp_path / "graph.graphml").getroot()
    held = text.replace("\x00", LOST).replace("\x1b", LOST)
    agent, tool = root.iter(f"{XMLNS}node")
    assert agent.get("id").replace("\n", " ").replace("\t", " ") == (
        f"a{held}".replace("\n", " ").replace("\t", " ")
    )
    data = {item.get("key"): item.text for item in agent}
    assert data == {
        "kind": AGENT, "name": held, "description": held, "tools": "1", "relevant": "3",
    }  # fmt: skip
    [edge] = root.iter(f"{XMLNS}edge")
    assert (edge.get("source"), edge.get("target")) == (tool.get("id"), agent.get("id"))


def test_relevance_counts_positive_labels():
    labels = pd.DataFrame(
        [("q1", "a", 1), ("q2", "a", 2), ("q2", "b", 0)], columns=["qid", "id", "grade"]
    )
    assert relevance(labels) == {"a": 2}


def test_lexical_methods_search_whole_cards(tmp_path):
    """A tool's words find its server; the tool's own card is not searched."""
    server = {"name": "files", "description": "d", "tools": [{"name": "unzip archives"}]}
    lay(tmp_path, {"one.json": server, "two.json": {"name": "mail", "tools": []}})
    cards = load_corpus(f"files:{tmp_path}", "graph").cards
    with lexical_searchers(cards, 5, "paper", 64) as searchers:
        found = {name: search("unzip mail").ids for name, search in searchers.items()}
        assert {name: sorted(ids) for name, ids in found.items()} == {
            "BM25": ["one", "two"],
            "SSR": ["one", "two"],
        }
        assert searchers["SSR"]("nothing here").ids == []
