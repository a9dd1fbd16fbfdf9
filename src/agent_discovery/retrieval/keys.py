"""Signals as 64-bit keys: exact, without hashing and without strings.

A unigram with token number u is `u << 32`; the bigram of tokens a and b is `a << 32 | (b + 1)`.
Token numbers are lexical ranks in the index's vocabulary.
"""

from collections.abc import Sequence

from agent_discovery.signals import BIGRAM_JOINER

FIRST_SHIFT = 32
SECOND_MASK = (1 << FIRST_SHIFT) - 1


def signal_of(key: int, vocabulary: Sequence[str]) -> str:
    """The signal that a key stands for."""
    first, second = int(key) >> FIRST_SHIFT, int(key) & SECOND_MASK
    if second == 0:
        return vocabulary[first]
    return BIGRAM_JOINER.join((vocabulary[first], vocabulary[second - 1]))
