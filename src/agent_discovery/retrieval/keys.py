"""Signals as 64-bit keys: exact, without hashing and without strings.

A unigram with token number u is `u << 32`; the bigram of tokens a and b is `a << 32 | (b + 1)`.
Token numbers are lexical ranks in the index's vocabulary.
"""

from collections.abc import Sequence
from itertools import chain

from agent_discovery.retrieval.vocabulary import SortedStrings
from agent_discovery.signals import BIGRAM_JOINER

FIRST_SHIFT = 32
SECOND_MASK = (1 << FIRST_SHIFT) - 1


def keys_of(signals: Sequence[str], vocabulary: SortedStrings) -> list[int]:
    """The keys of those of some signals whose tokens all occur in cards, in their order."""
    parts = [signal.split(BIGRAM_JOINER) for signal in signals]
    words = list(dict.fromkeys(chain.from_iterable(parts)))
    number = dict(zip(words, vocabulary.find_all(words), strict=True))
    keys = []
    for part in parts:
        first, second = number[part[0]], number[part[-1]]
        if first >= 0 and second >= 0:
            keys.append(first << FIRST_SHIFT | (second + 1 if len(part) > 1 else 0))
    return keys


def signal_of(key: int, vocabulary: SortedStrings) -> str:
    """The signal that a key stands for."""
    first, second = int(key) >> FIRST_SHIFT, int(key) & SECOND_MASK
    if second == 0:
        return vocabulary[first]
    return BIGRAM_JOINER.join((vocabulary[first], vocabulary[second - 1]))
