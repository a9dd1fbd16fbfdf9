"""Ids that may have been meant by one that no card has."""

from bisect import bisect_left
from difflib import get_close_matches

from agent_discovery.retrieval.isi import InvertedSignalIndex

MOST_COMPARED = 50_000  # ids; comparing them takes about a second
NEIGHBOURS = 50


def near_ids(index: InvertedSignalIndex, wanted: str, most: int = 3) -> list[str]:
    """Ids like `wanted`: those that hold it, the shortest first, then those spelt alike.

    In a large registry only the ids about its place in lexical order are looked at.
    """
    ids = _ids_about(index, wanted) if index.cards > MOST_COMPARED else _ids(index, 0, index.cards)
    holding = [one for one in ids if wanted.lower() in one.lower()]
    alike = get_close_matches(wanted, ids, most)
    return list(dict.fromkeys(sorted(holding, key=len)[:most] + alike))[:most]


def _ids_about(index: InvertedSignalIndex, wanted: str) -> list[str]:
    key = wanted.encode("utf-8", "surrogatepass")
    places = range(index.cards)
    place = bisect_left(places, key, key=lambda place: _ids(index, place, place + 1)[0].encode())
    return _ids(index, max(0, place - NEIGHBOURS), min(index.cards, place + NEIGHBOURS))


def _ids(index: InvertedSignalIndex, first: int, last: int) -> list[str]:
    """The ids at some places of their lexical order."""
    return [index.id_of(number) for number in index.arrays["id_order"][first:last]]
