"""Reading A2A Agent Cards, MCP server and tool manifests and plain card lines from JSON values.

All of it is untrusted: every shape is checked, and what is wrong is named by its path.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from agent_discovery.cards import Card, kept_fields
from agent_discovery.corpora.agents import Agent, Tool
from agent_discovery.corpora.readers import is_id
from agent_discovery.errors import InputError

# What a card calls its tools: an A2A Agent Card the one, an MCP manifest the other.
_MEMBERS = ("skills", "tools")
_ENVELOPES = ("card", "server", "result")
_SHAPES = "an A2A Agent Card, an MCP server or tool manifest, or a passage with 'id' and 'text'"


def read_manifest(value: Any, default_id: str, source: str) -> Iterator[Agent | Card]:
    """The agents (or passages, already cards) in one JSON value of a registry.

    default_id: what a card without an `id` is called. Raises InputError, without the file's name.
    """
    for entry_id, entry in entries(value, default_id):
        yield read_entry(entry, entry_id, source)


def entries(value: Any, default_id: str) -> list[tuple[str, Any]]:
    """The entries that a value holds, unread, each with the id that it takes if it has none.

    Raises InputError, without the file's name, where it could be read as a list or as a card.
    """
    found = _unlisted(value)
    if len(found) == 1:
        return [(default_id, found[0])]
    return [(f"{default_id}#{position}", entry) for position, entry in enumerate(found)]


def _unlisted(value: Any) -> list[Any]:
    """The cards, servers or bare tools that a value holds."""
    if isinstance(value, dict) and isinstance(value.get("servers"), list):
        full = _one_of(value, ("servers", *_MEMBERS))
        value = value["servers"] if full in (None, "servers") else value
    if not isinstance(value, list):
        return [value]
    if value and all(isinstance(entry, dict) and "inputSchema" in entry for entry in value):
        return [{"tools": value}]
    return value


def read_entry(value: Any, default_id: str, source: str) -> Agent | Card:
    """One agent or passage. Raises InputError, without the file's name."""
    entry = _unwrapped(value)
    entry_id = _id(entry, value, default_id)
    for key in _MEMBERS:
        _list(entry, key, "")
    member = _one_of(entry, _MEMBERS)
    if "name" not in entry and "text" in entry:
        if member:
            raise InputError(f"has text, as a passage has, and {member}: give it a name")
        text = _text(entry, "text", "")
        return Card(entry_id, "", text, kept_fields([("text", text)]), None, "passage", source)
    member = member or ("skills" if "skills" in entry else "tools")
    return Agent(
        id=entry_id,
        name=_agent_name(entry),
        description=_text(entry, "description", ""),
        tags=_texts(entry, "tags", ""),
        tools=tuple(_tools(entry, member)),
        member=member,
    )


def _unwrapped(value: Any) -> dict[str, Any]:
    """The card itself, without the envelope that registries and JSON-RPC put around it."""
    if not isinstance(value, dict):
        raise InputError(f"not a card: expected {_SHAPES}, found {type(value).__name__}")
    envelope = _one_of(value, [name for name in _ENVELOPES if isinstance(value.get(name), dict)])
    if envelope is None:
        return value
    inner = value[envelope]
    beside, inside = _one_of(value, _MEMBERS), _one_of(inner, _MEMBERS)
    if beside is None:
        return inner
    if inside is None:
        return {**inner, beside: value[beside]}
    if _names(value[beside]) != _names(inner[inside]):
        raise InputError(f"has {beside} beside its {envelope}, which has other {inside}: keep one")
    return inner


def _one_of(holder: dict, keys: Iterable[str]) -> str | None:
    """The one of some keys that is not empty, or None: of two that differ, one would be dropped."""
    full = [key for key in keys if holder.get(key)]
    if any(holder[key] != holder[full[0]] for key in full):
        raise InputError(f"has both {' and '.join(full)}: keep one of them")
    return full[0] if full else None


def _names(tools: Any) -> list[Any]:
    """The names of some tools, whatever they are."""
    found = tools if isinstance(tools, list) else [tools]
    return [tool.get("name") if isinstance(tool, dict) else tool for tool in found]


def _id(entry: dict, value: dict, default_id: str) -> str:
    holders = [value, entry] if "jsonrpc" not in value else [entry] if entry is not value else []
    found = next((holder["id"] for holder in holders if holder.get("id") is not None), None)
    if found is None:
        return default_id
    if not is_id(found):
        what = "blank" if isinstance(found, str) else type(found).__name__
        raise InputError(f"id must be text, not {what}")
    return str(found)


def _agent_name(entry: dict) -> str:
    """The card's name; a bare list of MCP tools has none, any other card must have one."""
    info = entry.get("serverInfo")
    holder = info if "name" not in entry and isinstance(info, dict) else entry
    name = _text(holder, "name", "")
    if not name.strip() and ("name" in holder or not entry.get("tools")):
        raise InputError(f"has no name: a card must be {_SHAPES}")
    return name


def _tools(entry: dict, member: str) -> Iterator[Tool]:
    for position, tool in enumerate(_list(entry, member, "")):
        path = f"{member}[{position}]"
        if not isinstance(tool, dict):
            raise InputError(f"{path} must be an object, not {type(tool).__name__}")
        name = _text(tool, "name", f"{path}.")
        if not name.strip():
            raise InputError(f"{path} has no name")
        yield Tool(
            name=name,
            description=_text(tool, "description", f"{path}."),
            tags=_texts(tool, "tags", f"{path}."),
            examples=_texts(tool, "examples", f"{path}."),
        )


def _text(holder: dict, key: str, path: str) -> str:
    value = holder.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{path}{key} must be text, not {type(value).__name__}")
    return value or ""


def _list(holder: dict, key: str, path: str) -> list[Any]:
    value = holder.get(key)
    if value is not None and not isinstance(value, list):
        raise InputError(f"{path}{key} must be a list, not {type(value).__name__}")
    return value or []


def _texts(holder: dict, key: str, path: str) -> tuple[str, ...]:
    values = _list(holder, key, path)
    for position, value in enumerate(values):
        if not isinstance(value, str):
            raise InputError(f"{path}{key}[{position}] must be text, not {type(value).__name__}")
    return tuple(values)
