"""Signals as 64-bit keys: exact, without hashing and without strings.

A unigram with token number u is `u << 32`; the bigram of tokens a and b is `a << 32 | (b + 1)`.
Token numbers are lexical ranks in the index's vocabulary. All compiled functions that call each
other stand in this one file, since numba's cache notices a change of the caller's file only.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numba import njit

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


@njit(cache=True)
def unigram_key(token):
    """The key of a unigram."""
    return np.uint64(token) << np.uint64(FIRST_SHIFT)


@njit(cache=True)
def bigram_key(first, second):
    """The key of a bigram."""
    return (np.uint64(first) << np.uint64(FIRST_SHIFT)) | (np.uint64(second) + np.uint64(1))


@njit(cache=True)
def card_signals(sequence, joined_rank, by_joined_rank, limit, out):
    """Write the sorted keys of a token sequence's signals (`signals.signals`); return how many.

    sequence: uint32 token numbers; joined_rank: `vocabulary.joined_ranks`; by_joined_rank: its
    inverse; out: uint64, at least `limit` long.
    """
    kept = _kept_unigrams(sequence, limit, out)
    if kept < limit and len(sequence) > 1:
        kept = _add_bigrams(sequence, joined_rank, by_joined_rank, limit, out, kept)
    out[:kept].sort()
    return kept


@njit(cache=True)
def _kept_unigrams(sequence, limit, out):
    ordered = np.sort(sequence)
    distinct = np.empty(len(ordered), np.uint32)
    frequency = np.empty(len(ordered), np.int64)
    size = 0
    for i in range(len(ordered)):
        if i > 0 and ordered[i] == ordered[i - 1]:
            frequency[size - 1] += 1
        else:
            distinct[size] = ordered[i]
            frequency[size] = 1
            size += 1
    if size <= limit:
        for i in range(size):
            out[i] = unigram_key(distinct[i])
        return size
    best = np.argsort(-frequency[:size], kind="mergesort")
    for i in range(limit):
        out[i] = unigram_key(distinct[best[i]])
    return limit


@njit(cache=True)
def _add_bigrams(sequence, joined_rank, by_joined_rank, limit, out, kept):
    pairs = np.empty(len(sequence) - 1, np.uint64)
    for i in range(len(pairs)):
        first = np.uint64(joined_rank[sequence[i]])
        pairs[i] = (first << np.uint64(FIRST_SHIFT)) | np.uint64(sequence[i + 1])
    pairs.sort()
    for i in range(len(pairs)):
        if kept == limit:
            break
        if i > 0 and pairs[i] == pairs[i - 1]:
            continue
        first = by_joined_rank[pairs[i] >> np.uint64(FIRST_SHIFT)]
        out[kept] = bigram_key(first, pairs[i] & np.uint64(SECOND_MASK))
        kept += 1
    return kept


@njit(cache=True)
def signals_of(sequence, bounds, joined_rank, by_joined_rank, limit):
    """The sorted signal keys of each text, end to end, and how many each has."""
    counts = np.zeros(len(bounds) - 1, np.int64)
    keys = np.empty(min(2 * len(sequence), limit * len(counts)) + limit, np.uint64)
    end = 0
    for text in range(len(counts)):
        tokens = sequence[bounds[text] : bounds[text + 1]]
        out = keys[end : end + limit]
        counts[text] = card_signals(tokens, joined_rank, by_joined_rank, limit, out)
        end += counts[text]
    return keys[:end], counts


@njit(cache=True)
def terms_of(sequence, bounds):
    """The sorted unigram keys of each text, their frequencies, and how many each text has."""
    counts = np.zeros(len(bounds) - 1, np.int64)
    keys = np.empty(len(sequence), np.uint64)
    frequencies = np.empty(len(sequence), np.uint32)
    end = 0
    for text in range(len(counts)):
        tokens = np.sort(sequence[bounds[text] : bounds[text + 1]])
        for i in range(len(tokens)):
            if i > 0 and tokens[i] == tokens[i - 1]:
                frequencies[end - 1] += 1
            else:
                keys[end] = unigram_key(tokens[i])
                frequencies[end] = 1
                end += 1
                counts[text] += 1
    return keys[:end], frequencies[:end], counts
