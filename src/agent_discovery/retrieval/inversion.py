"""From a partition's entries to its posting lists: counting sorts, linear in the entries.

A partition is all entries of a range of first tokens [low, high); `entries` describes the rows.
They come by rising card, and every sort here is stable, so lists come out by rising card. All
compiled functions that call each other stand in this one file, since numba's cache notices a change
of the caller's file only.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from agent_discovery.retrieval.entries import COLUMNS

DIGIT_BITS = 11
DIGITS = 1 << DIGIT_BITS


class Terms(NamedTuple):
    """The terms of a partition: all cards of each token, and those where the cap keeps it."""

    counts: np.ndarray  # int64, (high - low,)
    cards: np.ndarray  # uint32
    frequencies: np.ndarray  # uint32, as long as `cards`
    kept_counts: np.ndarray  # int64, (high - low,)
    kept_cards: np.ndarray  # uint32


class Blocks(NamedTuple):
    """The posting blocks (see `build`) of a partition, one for each first token."""

    lengths: np.ndarray  # int64, (high - low,), postings of each block
    postings: np.ndarray  # uint32
    repeated: np.ndarray  # int64, (high - low,), bigrams with several cards
    repeated_seconds: np.ndarray  # uint32
    repeated_ends: np.ndarray  # uint32, where each one's list ends, from its block's start
    single: np.ndarray  # int64, (high - low,), bigrams with one card
    single_seconds: np.ndarray  # uint32


def terms_of(unigrams: np.ndarray, low: int, high: int) -> Terms:
    """Invert the unigrams' rows (uint32, (entries, 3)) of a partition."""
    return Terms(*_terms_of(unigrams, low, high))


def blocks_of(bigrams: np.ndarray, terms: Terms, low: int, high: int, tokens: int) -> Blocks:
    """Invert the bigrams' rows (uint32, (entries, 3)); tokens: how many there are in all."""
    bigrams = _sorted_by(bigrams, 1, 0, tokens)
    bigrams = _sorted_by(bigrams, 0, low, high - low)
    return Blocks(*_blocks_of(bigrams, terms.kept_counts, terms.kept_cards, low, high))


def _sorted_by(rows: np.ndarray, column: int, base: int, values: int) -> np.ndarray:
    """The rows by a column whose values are in [base, base + values); stable, a digit at a time."""
    for shift in range(0, max(values - 1, 0).bit_length(), DIGIT_BITS):
        rows = _sorted_by_digit(rows, column, base, shift)
    return rows


@njit(cache=True)
def _terms_of(unigrams, low, high):
    starts = np.zeros(high - low + 1, np.int64)
    kept_starts = np.zeros(high - low + 1, np.int64)
    for i in range(len(unigrams)):
        token = unigrams[i, 0] - low
        starts[token + 1] += 1
        kept_starts[token + 1] += unigrams[i, 2] & 1
    counts, kept_counts = starts[1:].copy(), kept_starts[1:].copy()
    starts, kept_starts = np.cumsum(starts), np.cumsum(kept_starts)
    cards = np.empty(starts[-1], np.uint32)
    frequencies = np.empty(starts[-1], np.uint32)
    kept_cards = np.empty(kept_starts[-1], np.uint32)
    for i in range(len(unigrams)):
        token = unigrams[i, 0] - low
        cards[starts[token]] = unigrams[i, 1]
        frequencies[starts[token]] = unigrams[i, 2] >> 1
        starts[token] += 1
        if unigrams[i, 2] & 1:
            kept_cards[kept_starts[token]] = unigrams[i, 1]
            kept_starts[token] += 1
    return counts, cards, frequencies, kept_counts, kept_cards


@njit(cache=True)
def _sorted_by_digit(rows, column, base, shift):
    starts = np.zeros(DIGITS + 1, np.int64)
    for i in range(len(rows)):
        starts[(((rows[i, column] - base) >> shift) & (DIGITS - 1)) + 1] += 1
    starts = np.cumsum(starts)
    ordered = np.empty_like(rows)
    for i in range(len(rows)):
        digit = ((rows[i, column] - base) >> shift) & (DIGITS - 1)
        for c in range(COLUMNS):
            ordered[starts[digit], c] = rows[i, c]
        starts[digit] += 1
    return ordered


@njit(cache=True)
def _blocks_of(bigrams, kept_counts, kept_cards, low, high):
    lengths = np.zeros(high - low, np.int64)
    repeated = np.zeros(high - low, np.int64)
    single = np.zeros(high - low, np.int64)
    postings = np.empty(len(kept_cards) + len(bigrams), np.uint32)
    repeated_seconds = np.empty(len(bigrams) // 2, np.uint32)
    repeated_ends = np.empty(len(bigrams) // 2, np.uint32)
    single_seconds = np.empty(len(bigrams), np.uint32)
    held_back = np.empty(len(bigrams), np.uint32)  # the cards of a block's single bigrams
    size = kept = row = repeats = singles = 0
    for token in range(high - low):
        begun = size
        for _ in range(kept_counts[token]):
            postings[size] = kept_cards[kept]
            size += 1
            kept += 1
        while row < len(bigrams) and bigrams[row, 0] == token + low:
            end = row + 1
            while end < len(bigrams) and (
                bigrams[end, 0] == bigrams[row, 0] and bigrams[end, 1] == bigrams[row, 1]
            ):
                end += 1
            if end == row + 1:
                single_seconds[singles] = bigrams[row, 1]
                held_back[single[token]] = bigrams[row, 2]
                single[token] += 1
                singles += 1
                row = end
                continue
            while row < end:
                postings[size] = bigrams[row, 2]
                size += 1
                row += 1
            repeated_seconds[repeats] = bigrams[end - 1, 1]
            repeated_ends[repeats] = size - begun
            repeated[token] += 1
            repeats += 1
        for i in range(single[token]):
            postings[size] = held_back[i]
            size += 1
        lengths[token] = size - begun
    return (
        lengths, postings, repeated, repeated_seconds[:repeats], repeated_ends[:repeats],
        single, single_seconds[:singles],
    )  # fmt: skip
