"""Agents with their skills or tools, and the cards they become."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from agent_discovery.cards import Card, kept_fields
from agent_discovery.config import CardLevel
from agent_discovery.errors import InputError

TOOL_JOINER = "::"
# The level of Agent-as-a-Graph: agents and their tools, both as cards.
GRAPH: Literal["graph"] = "graph"
Level = CardLevel | Literal["graph"]


@dataclass(frozen=True)
class Tool:
    """A tool or skill of an agent."""

    name: str
    description: str
    tags: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()

    def fields(self, path: str) -> list[tuple[str, str]]:
        """(field path, text) of the tool, below `path`."""
        return [
            (f"{path}name", self.name),
            (f"{path}description", self.description),
            (f"{path}tags", " ".join(self.tags)),
            (f"{path}examples", " ".join(self.examples)),
        ]


@dataclass(frozen=True)
class Agent:
    """An agent as its card or manifest gives it. `member` is the card's word for its tools."""

    id: str
    name: str
    description: str
    tags: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()
    member: Literal["skills", "tools"] = "tools"


def agent_card(agent: Agent, source: str) -> Card:
    """One card of an agent and all its skills or tools."""
    if not agent.name:
        raise InputError(f"agent {agent.id!r} has no name: give it one, or set card_level to tool")
    pairs = [
        ("name", agent.name),
        ("description", agent.description),
        ("tags", " ".join(agent.tags)),
    ]
    for position, tool in enumerate(agent.tools):
        pairs += tool.fields(f"{agent.member}[{position}].")
    return Card(agent.id, agent.name, agent.description, kept_fields(pairs), None, "agent", source)


def tool_cards(agent: Agent, source: str) -> Iterator[Card]:
    """One card of each tool, under its agent's name; the agent's own card if it has no tools."""
    if not agent.tools:
        yield agent_card(agent, source)
    for tool in agent.tools:
        fields = kept_fields([("parent.name", agent.name), *tool.fields("")])
        card_id = f"{agent.id}{TOOL_JOINER}{tool.name}"
        yield Card(card_id, tool.name, tool.description, fields, agent.id, "tool", source)


def graph_cards(agent: Agent, source: str) -> Iterator[Card]:
    """One whole card of an agent, and one of each tool under it; a nameless list's tools alone."""
    if agent.name:
        yield agent_card(agent, source)
    for card in tool_cards(agent, source) if agent.tools else ():
        yield card if agent.name else card._replace(parent=None)
