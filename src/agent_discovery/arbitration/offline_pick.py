"""How the offline arbiter chooses: by lexical overlap, deterministically. It judges nothing."""

import json
from functools import lru_cache

from agent_discovery.arbitration.prompt import CACHED_CARDS, read_lines, read_request
from agent_discovery.signals import tokens


def pick(message: str) -> int:
    """The index of the candidate that shares most distinct words with the request.

    Among equals the one with fewest distinct words of its own wins, then the first. 1 where the
    message holds no candidates.
    """
    asked = frozenset(tokens(read_request(message)))
    best, best_index = (-1, 0), 1
    for index, line_end in read_lines(message):
        words = _words(line_end)
        merit = (len(asked & words), -len(words))
        if merit > best and index.isdecimal():
            best, best_index = merit, int(index)
    return best_index


def pool_size(message: str) -> int:
    """The number of candidates in a user message."""
    return sum(1 for _ in read_lines(message))


@lru_cache(maxsize=CACHED_CARDS)
def _words(line_end: str) -> frozenset[str]:
    """The distinct words of a candidate, from its line without the index."""
    try:
        card = json.loads("{" + line_end.lstrip(","))
        return frozenset(tokens(f"{card['name']} {card['description']}"))
    except (ValueError, KeyError, TypeError):
        return frozenset(tokens(line_end))
