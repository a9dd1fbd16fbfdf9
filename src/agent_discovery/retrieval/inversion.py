"""From a partition's rows to its posting lists: counting sorts, linear in the rows.

`entries` describes the rows. They come by rising card, and every sort here is stable, so lists come
out by rising card. All compiled functions that call each other stand in this one file, since
numba's cache notices a change of the caller's file only.
"""

from typing import NamedTuple

import numpy as np

from agent_discovery.retrieval.compiling import njit
from agent_discovery.retrieval.entries import (
    BIGRAMS_SHIFT,
    FREQUENCY_SHIFT,
    MOST_FREQUENCY,
    TOKEN_SHIFT,
)
from agent_discovery.retrieval.scratch import Scratch

_SECOND_SHIFT = np.uint64(32)
_CARD_MASK = np.uint64((1 << 32) - 1)
_FEW = 64  # so few pairs are sorted by comparing
_MANY = 2048  # so many by wider digits
_DIGIT_BITS, _WIDE_DIGIT_BITS = 8, 11


class Terms(NamedTuple):
    """All cards of each token of a partition."""

    counts: np.ndarray  # int64, (tokens,)
    cards: np.ndarray  # uint32
    frequencies: np.ndarray  # uint32, as long as `cards`


class Blocks(NamedTuple):
    """The posting blocks (see `build`) of a partition, one for each first token."""

    lengths: np.ndarray  # int64, (tokens,), postings of each block
    unigrams: np.ndarray  # int64, (tokens,), those of the token itself
    postings: np.ndarray  # uint32
    repeated: np.ndarray  # int64, (tokens,), bigrams with several cards
    repeated_seconds: np.ndarray  # uint32
    repeated_ends: np.ndarray  # uint32, where each one's list ends, from its block's start
    single: np.ndarray  # int64, (tokens,), bigrams with one card
    single_seconds: np.ndarray  # uint32


def inverted(rows: np.ndarray, tokens: int, scratch: Scratch) -> tuple[Terms, Blocks]:
    """Invert the rows (uint32) of a partition of so many tokens; lasts until the next one is."""
    sizes = _sizes(rows, tokens)
    counts, unigrams, bigrams = sizes.T.copy()
    cards = scratch.take("cards", np.uint32, counts.sum())
    frequencies = scratch.take("frequencies", np.uint32, len(cards))
    pairs = scratch.take("pairs", np.uint64, bigrams.sum())
    postings = scratch.take("postings", np.uint32, unigrams.sum() + len(pairs))
    _place(rows, _starts(counts, unigrams, bigrams), cards, frequencies, postings, pairs)
    terms = Terms(counts, cards, frequencies)
    repeated_seconds = scratch.take("repeated_seconds", np.uint32, len(pairs) // 2)
    repeated_ends = scratch.take("repeated_ends", np.uint32, len(pairs) // 2)
    single_seconds = scratch.take("single_seconds", np.uint32, len(pairs))
    room = scratch.take("room", np.uint64, bigrams.max(initial=0))
    repeated, single = _blocks(
        pairs, unigrams, bigrams, room, postings, repeated_seconds, repeated_ends, single_seconds
    )
    repeats, singles = repeated.sum(), single.sum()
    return terms, Blocks(
        unigrams + bigrams, unigrams, postings,
        repeated, repeated_seconds[:repeats], repeated_ends[:repeats],
        single, single_seconds[:singles],
    )  # fmt: skip


def _starts(counts: np.ndarray, unigrams: np.ndarray, bigrams: np.ndarray) -> np.ndarray:
    """Where each token's part begins of `cards`, of `postings` and of `pairs`; (tokens, 3)."""
    lengths = np.stack([counts, unigrams + bigrams, bigrams], axis=1)
    return np.cumsum(lengths, axis=0) - lengths


@njit(cache=True)
def _head(rows, at):
    """A row's token, frequency, number of bigrams, and where their second tokens begin."""
    head = np.int64(rows[at])
    frequency = (head >> FREQUENCY_SHIFT) & MOST_FREQUENCY
    if frequency:
        return head >> TOKEN_SHIFT, frequency, (head >> BIGRAMS_SHIFT) & MOST_FREQUENCY, at + 2
    return head >> TOKEN_SHIFT, np.int64(rows[at + 2]), np.int64(rows[at + 3]), at + 4


@njit(cache=True)
def _sizes(rows, tokens):
    """How many cards hold each token, how many of them kept, and how many bigrams; (tokens, 3)."""
    sizes = np.zeros((tokens, 3), np.int64)
    at = 0
    while at < len(rows):
        kept = rows[at] & 1
        token, _, bigrams, at = _head(rows, at)
        sizes[token, 0] += 1
        sizes[token, 1] += kept
        sizes[token, 2] += bigrams
        at += bigrams
    return sizes


@njit(cache=True)
def _place(rows, starts, cards, frequencies, postings, pairs):
    """Put each row's entries to those of its token: a bigram as second token << 32 | card.

    Of `postings`, the unigrams' alone: their bigrams' cards come after, by `_blocks`.
    """
    at = 0
    while at < len(rows):
        kept, card = rows[at] & 1, rows[at + 1]
        token, frequency, bigrams, at = _head(rows, at)
        mine = starts[token]
        cards[mine[0]] = card
        frequencies[mine[0]] = frequency
        mine[0] += 1
        if kept:
            postings[mine[1]] = card
            mine[1] += 1
        for b in range(at, at + bigrams):
            pairs[mine[2]] = np.uint64(rows[b]) << _SECOND_SHIFT | np.uint64(card)
            mine[2] += 1
        at += bigrams


@njit(cache=True)
def _blocks(
    pairs, unigrams, bigrams, room, postings, repeated_seconds, repeated_ends, single_seconds
):
    """Fill the postings of all bigrams, block by block; how many each repeats, and has once."""
    repeated = np.zeros(len(unigrams), np.int64)
    single = np.zeros(len(unigrams), np.int64)
    held_back = np.empty(len(room), np.uint32)  # the cards of a block's single bigrams
    size = first = repeats = singles = 0
    for token in range(len(unigrams)):
        begun = size
        size += unigrams[token]
        end = first + bigrams[token]
        _sort(pairs, first, end, room)
        held = 0
        while first < end:
            second, last = pairs[first] >> _SECOND_SHIFT, first + 1
            while last < end and pairs[last] >> _SECOND_SHIFT == second:
                last += 1
            if last == first + 1:
                single_seconds[singles] = second
                held_back[held] = pairs[first] & _CARD_MASK
                held += 1
                singles += 1
            else:
                for i in range(first, last):
                    postings[size] = pairs[i] & _CARD_MASK
                    size += 1
                repeated_seconds[repeats] = second
                repeated_ends[repeats] = size - begun
                repeated[token] += 1
                repeats += 1
            first = last
        for i in range(held):
            postings[size] = held_back[i]
            size += 1
        single[token] = held
    return repeated, single


@njit(cache=True)
def _sort(pairs, first, end, room):
    """Sort `pairs[first:end]`, whose cards rise, by the second token."""
    count = end - first
    if count <= _FEW:
        for i in range(first + 1, end):
            pair, place = pairs[i], i
            while place > first and pairs[place - 1] > pair:
                pairs[place] = pairs[place - 1]
                place -= 1
            pairs[place] = pair
        return
    bits = _WIDE_DIGIT_BITS if count >= _MANY else _DIGIT_BITS
    highest = np.uint64(0)
    for i in range(first, end):
        highest = max(highest, pairs[i])
    shift = 32
    while highest >> np.uint64(shift):
        _sort_by_digit(pairs, first, end, room, shift, bits)
        shift += bits


@njit(cache=True)
def _sort_by_digit(pairs, first, end, room, shift, bits):
    starts = np.zeros((1 << bits) + 1, np.int64)
    mask = np.uint64((1 << bits) - 1)
    by = np.uint64(shift)
    for i in range(first, end):
        room[i - first] = pairs[i]
        starts[((pairs[i] >> by) & mask) + np.uint64(1)] += 1
    starts = np.cumsum(starts) + first
    for i in range(end - first):
        digit = (room[i] >> by) & mask
        pairs[starts[digit]] = room[i]
        starts[digit] += 1
