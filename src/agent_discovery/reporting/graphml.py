"""The graph of agents and tools as GraphML, for Gephi, yEd, Cytoscape or networkx."""

from pathlib import Path
from xml.etree import ElementTree

import pandas as pd

from agent_discovery.files import no_formula, written_aside

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
ATTRIBUTES = {
    "kind": "string",
    "name": "string",
    "description": "string",
    "tools": "int",
    "relevant": "int",
}
LOST = "\ufffd"


def relevance(labels: pd.DataFrame) -> dict[str, int]:
    """For how many queries each agent is relevant. labels: qid, id, grade."""
    return labels.loc[labels["grade"] > 0, "id"].value_counts().to_dict()


def tool_counts(nodes: pd.DataFrame) -> pd.Series:
    """How many tools each agent owns, by agent id. nodes: id, kind, owner."""
    owned = nodes[nodes["id"] != nodes["owner"]]
    return owned["owner"].value_counts().reindex(nodes["owner"].unique(), fill_value=0).sort_index()


def agents(nodes: pd.DataFrame, relevant: dict[str, int]) -> pd.DataFrame:
    """The agents that the picture shows: name, tools, relevant. nodes: id, kind, name, owner."""
    tools = tool_counts(nodes)
    names = nodes[nodes["id"] == nodes["owner"]].set_index("id")["name"].reindex(tools.index)
    times = [relevant.get(agent, 0) for agent in tools.index]
    texts = [no_formula(name) for name in names]
    table = pd.DataFrame({"name": texts, "tools": tools.to_numpy(), "relevant": times})
    return table.sort_values(["relevant", "tools", "name"], ascending=[False, False, True])


def write_graphml(path: str | Path, nodes: pd.DataFrame, relevant: dict[str, int]) -> None:
    """Write agents and tools as nodes and ownership, tool -> agent, as directed edges.

    nodes: id, kind, name, description, owner. Characters that XML cannot hold become U+FFFD.
    """
    root = ElementTree.Element("graphml", xmlns=NAMESPACE)
    for name, kind in ATTRIBUTES.items():
        ElementTree.SubElement(
            root, "key", {"id": name, "for": "node", "attr.name": name, "attr.type": kind}
        )
    graph = ElementTree.SubElement(root, "graph", id="agents", edgedefault="directed")
    tools = tool_counts(nodes)
    for row in nodes.itertuples():
        node = ElementTree.SubElement(graph, "node", id=xml_text(row.id))
        values = {name: getattr(row, name) for name in ("kind", "name", "description")}
        if row.kind == "agent":
            values |= {"tools": tools.get(row.id, 0), "relevant": relevant.get(row.id, 0)}
        for name, value in values.items():
            ElementTree.SubElement(node, "data", key=name).text = xml_text(str(value))
    for row in nodes[nodes["id"] != nodes["owner"]].itertuples():
        ElementTree.SubElement(graph, "edge", source=xml_text(row.id), target=xml_text(row.owner))
    ElementTree.indent(root)
    with written_aside(path) as aside:
        ElementTree.ElementTree(root).write(aside, encoding="utf-8", xml_declaration=True)


def xml_text(text: str) -> str:
    """`text` without the characters that no XML 1.0 document can hold; ElementTree escapes it."""
    return "".join(c if _is_xml(ord(c)) else LOST for c in text)


def _is_xml(code: int) -> bool:
    return (
        code in (0x9, 0xA, 0xD)
        or 0x20 <= code <= 0xD7FF
        or 0xE000 <= code <= 0xFFFD
        or (0x10000 <= code <= 0x10FFFF)
    )
