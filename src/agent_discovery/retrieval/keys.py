"""Signals as 64-bit keys: exact, without hashing and without strings.

A unigram with token number u is `u << 32`; the bigram of tokens a and b is `a << 32 | (b + 1)`.
Token numbers are lexical ranks in the index's vocabulary.
"""

from collections.abc import Sequence

import numpy as np
from numba import njit

from agent_discovery.retrieval.vocabulary import NO_TOKEN, SortedStrings
from agent_discovery.signals import BIGRAM_JOINER

FIRST_SHIFT = 32
SECOND_MASK = (1 << FIRST_SHIFT) - 1


def keys_of(signals: Sequence[str], vocabulary: SortedStrings) -> np.ndarray:
    """The keys of those of some signals whose tokens all occur in cards, in their order; uint64."""
    return _packed(vocabulary.find_signals(signals))


@njit(cache=True)
def _packed(numbers):
    keys = np.empty(len(numbers), np.uint64)
    size = 0
    for first, second in numbers:
        if first != -1 and second != -1:
            low = 0 if second == NO_TOKEN else second + 1
            keys[size] = np.uint64(first) << np.uint64(FIRST_SHIFT) | np.uint64(low)
            size += 1
    return keys[:size]


def signal_of(key: int, vocabulary: SortedStrings) -> str:
    """The signal that a key stands for."""
    first, second = int(key) >> FIRST_SHIFT, int(key) & SECOND_MASK
    if second == 0:
        return vocabulary[first]
    return BIGRAM_JOINER.join((vocabulary[first], vocabulary[second - 1]))
