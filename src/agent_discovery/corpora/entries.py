"""The entries of a user's own registry, read from files or given as values, as cards."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tqdm import tqdm

from agent_discovery.cards import Card
from agent_discovery.corpora.agents import (
    GRAPH,
    Agent,
    Level,
    agent_card,
    graph_cards,
    tool_cards,
)
from agent_discovery.corpora.corpus import Corpus
from agent_discovery.corpora.manifests import entries, read_entry
from agent_discovery.corpora.readers import parse_json
from agent_discovery.errors import InputError

SOURCE = "files"
GIVEN = "cards"

# Where a value was read, the id that its card takes if it has none, and the value.
Value = tuple[str, str, Any]


def cards_of(values: Iterable[Value], level: Level) -> Iterator[Card]:
    """The cards of some JSON values. Raises InputError, with the place, on a broken or second one.

    level: what becomes a card (config.card_level, or `graph`).
    """
    places: dict[str, str] = {}
    contents: dict[str, str] = {}
    read = tqdm(_entries(values), desc="reading entries", unit="entry", disable=None, delay=2)
    for where, entry_id, entry in read:
        _refuse_repeated(contents, _digest(entry), where, "the same card")
        for card in _cards_of_entry(entry, where, entry_id, level):
            _refuse_repeated(places, card.id, where, f"id {card.id!r}")
            yield card


def load_values(values: Iterable[Any], level: Level) -> Corpus:
    """A registry of Python values, each as a card file would hold it (dicts, lists, texts ...).

    A card without an id takes its position, from 0. The cards stay in their order.
    """
    given = ((f"{GIVEN}[{n}]", str(n), value) for n, value in enumerate(values))
    plain = ((where, default_id, _plain(value, where)) for where, default_id, value in given)
    return Corpus(spec=GIVEN, cards=cards_of(plain, level))


def _plain(value: Any, where: str) -> Any:
    """The value as JSON would give it back: tuples are lists, and nothing else is let in."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{where}: cannot be a card, as it is not JSON ({error})") from None
    return parse_json(text, where)


def _entries(values: Iterable[Value]) -> Iterator[Value]:
    """Each entry of each value, with its own place and id."""
    for place, default_id, value in values:
        with _placed(place):
            found = entries(value, default_id)
        for number, (entry_id, entry) in enumerate(found, start=1):
            yield place if len(found) == 1 else f"{place}, entry {number}", entry_id, entry


def _cards_of_entry(entry: Any, where: str, entry_id: str, level: Level) -> list[Card]:
    with _placed(where):
        return list(_at_level(read_entry(entry, entry_id, SOURCE), level))


@contextmanager
def _placed(where: str) -> Iterator[None]:
    """Put the place before a message that lacks it."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _at_level(item: Agent | Card, level: Level) -> Iterator[Card]:
    if isinstance(item, Card):
        yield item
    elif level == "agent" or (level == "auto" and item.member == "skills"):
        yield agent_card(item, SOURCE)
    elif level == GRAPH:
        yield from graph_cards(item, SOURCE)
    else:
        yield from tool_cards(item, SOURCE)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _refuse_repeated(places: dict[str, str], key: str, where: str, what: str) -> None:
    if key in places:
        raise InputError(f"{where}: {what} is already in {places[key]}: keep one of them")
    places[key] = where
