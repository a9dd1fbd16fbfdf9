"""From token sequences to what is inverted: a row for each unigram and each bigram of a card.

A unigram's row is (token, card, 2 · frequency + whether the cap keeps it); a bigram's, kept ones
only, is (first token, second token, card). All compiled functions that call each other stand in
this one file, since numba's cache notices a change of the caller's file only.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from agent_discovery.retrieval.keys import FIRST_SHIFT, SECOND_MASK

COLUMNS = 3


class CardEntries(NamedTuple):
    """What a run of cards holds."""

    signals: np.ndarray  # uint64, each card's signal keys, rising; end to end
    counts: np.ndarray  # int64, (cards,), how many each has
    unigrams: np.ndarray  # uint32, (distinct tokens of each card, 3)
    bigrams: np.ndarray  # uint32, (kept bigrams of each card, 3)


def entries_of(
    sequence: np.ndarray,
    bounds: np.ndarray,
    first_card: int,
    joined_rank: np.ndarray,
    by_joined_rank: np.ndarray,
    limit: int,
) -> CardEntries:
    """The entries of cards whose tokens are `sequence[bounds[i]:bounds[i + 1]]`.

    sequence: uint32, token numbers in lexical order; joined_rank: `vocabulary.joined_ranks`;
    by_joined_rank: its inverse; limit: the cap. As `signals.signals` has it, a bigram is kept only
    when all unigrams are.
    """
    return CardEntries(
        *_entries_of(sequence, bounds, first_card, joined_rank, by_joined_rank, limit)
    )


@njit(cache=True)
def parted(rows, part_of_token, parts):
    """The rows ordered by the part of their first column, and the bounds of the parts; stable."""
    bounds = np.zeros(parts + 1, np.int64)
    for i in range(len(rows)):
        bounds[part_of_token[rows[i, 0]] + 1] += 1
    bounds = np.cumsum(bounds)
    ends = bounds[:-1].copy()
    ordered = np.empty_like(rows)
    for i in range(len(rows)):
        part = part_of_token[rows[i, 0]]
        for column in range(COLUMNS):
            ordered[ends[part], column] = rows[i, column]
        ends[part] += 1
    return ordered, bounds


@njit(cache=True)
def _entries_of(sequence, bounds, first_card, joined_rank, by_joined_rank, limit):
    signals = np.empty(2 * len(sequence), np.uint64)
    counts = np.zeros(len(bounds) - 1, np.int64)
    unigrams = np.empty((len(sequence), COLUMNS), np.uint32)
    bigrams = np.empty((len(sequence), COLUMNS), np.uint32)
    longest = 0
    for i in range(len(counts)):
        longest = max(longest, bounds[i + 1] - bounds[i])
    frequency = np.empty(longest, np.int64)
    pairs = np.empty(longest, np.uint64)
    size = single = double = 0
    for i in range(len(counts)):
        card = np.uint32(first_card + i)
        tokens = sequence[bounds[i] : bounds[i + 1]]
        mine = unigrams[single:]
        distinct = _count_tokens(tokens, mine, frequency)
        dropped = distinct > limit
        if dropped:
            _mark_kept(mine, frequency, distinct, limit)
        kept = 0
        if not dropped:
            kept = _kept_bigrams(tokens, joined_rank, by_joined_rank, limit - distinct, pairs)
        at = 0
        begun = size
        for u in range(distinct):
            mine[u, 1] = card
            key = np.uint64(mine[u, 0]) << np.uint64(FIRST_SHIFT)
            while at < kept and pairs[at] < key:
                signals[size] = pairs[at] + np.uint64(1)
                size += 1
                at += 1
            if mine[u, 2] & 1:
                signals[size] = key
                size += 1
        while at < kept:
            signals[size] = pairs[at] + np.uint64(1)
            size += 1
            at += 1
        for b in range(kept):
            bigrams[double + b, 0] = pairs[b] >> np.uint64(FIRST_SHIFT)
            bigrams[double + b, 1] = pairs[b] & np.uint64(SECOND_MASK)
            bigrams[double + b, 2] = card
        counts[i] = size - begun
        single += distinct
        double += kept
    return signals[:size], counts, unigrams[:single], bigrams[:double]


@njit(cache=True)
def _count_tokens(tokens, rows, frequency):
    """Fill the rows and frequencies of the distinct tokens, rising, all kept; return how many."""
    ordered = np.sort(tokens)
    size = 0
    for i in range(len(ordered)):
        if i > 0 and ordered[i] == ordered[i - 1]:
            frequency[size - 1] += 1
            rows[size - 1, 2] += 2
        else:
            rows[size, 0] = ordered[i]
            rows[size, 2] = 3
            frequency[size] = 1
            size += 1
    return size


@njit(cache=True)
def _mark_kept(rows, frequency, size, limit):
    """Keep the `limit` most frequent tokens, ties in lexical order."""
    best = np.argsort(-frequency[:size], kind="mergesort")
    for i in range(limit, size):
        rows[best[i], 2] -= 1


@njit(cache=True)
def _kept_bigrams(tokens, joined_rank, by_joined_rank, room, pairs):
    """Fill `pairs` with the (first, second) of the kept bigrams, rising; how many there are.

    Bigrams are cut in the order of the joined strings, so only where the cap cuts are they put in
    that order first.
    """
    if room == 0 or len(tokens) < 2:
        return 0
    cuts = len(tokens) - 1 > room
    for i in range(len(tokens) - 1):
        first = joined_rank[tokens[i]] if cuts else tokens[i]
        pairs[i] = (np.uint64(first) << np.uint64(FIRST_SHIFT)) | np.uint64(tokens[i + 1])
    size = _sort_distinct(pairs[: len(tokens) - 1])
    if not cuts:
        return size
    size = min(size, room)
    for i in range(size):
        first = np.uint64(by_joined_rank[pairs[i] >> np.uint64(FIRST_SHIFT)])
        pairs[i] = (first << np.uint64(FIRST_SHIFT)) | (pairs[i] & np.uint64(SECOND_MASK))
    pairs[:size].sort()
    return size


@njit(cache=True)
def _sort_distinct(values):
    """Sort in place and move the distinct values to the front; how many there are."""
    values.sort()
    size = 1
    for i in range(1, len(values)):
        if values[i] != values[i - 1]:
            values[size] = values[i]
            size += 1
    return size
