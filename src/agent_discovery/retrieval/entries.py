"""From token sequences to what is inverted: each card's signals, and a row for each of its tokens.

A row tells of a token of a card how often it stands there, whether the cap keeps it, and which kept
bigrams begin with it. Rows go to the partition of their token, where the token is numbered from the
partition's first. They are of 32-bit words:

    token << 7 | frequency << 4 | bigrams << 1 | kept,  card,  the bigrams' second tokens, rising

There are no more bigrams than the frequency. Where that does not fit, both stand as 0 and in two
words of their own, after the card.

All compiled functions that call each other stand in this one file, since numba's cache notices a
change of the caller's file only.
"""

from typing import NamedTuple

import numpy as np

from agent_discovery.retrieval.compiling import njit
from agent_discovery.retrieval.keys import FIRST_SHIFT, SECOND_MASK
from agent_discovery.retrieval.scratch import Scratch

TOKEN_SHIFT, FREQUENCY_SHIFT, BIGRAMS_SHIFT = 7, 4, 1
MOST_FREQUENCY = 7  # that fits, and so of bigrams too
MOST_PARTITION_TOKENS = 1 << (32 - TOKEN_SHIFT)
# No occurrence of a token costs more: of one, two words and a second token; of more, two further
# words at most, which the second occurrence pays for.
MOST_WORDS = 3
_COMPARED = 128  # up to so many keys comparing each with all others is the fastest way to sort
_AGAIN = np.uint64((1 << 64) - 1)  # no key: it would be of token 2 ** 32 - 1
_SHIFT, _MASK = np.uint64(FIRST_SHIFT), np.uint64(SECOND_MASK)


class Partitions(NamedTuple):
    """The ranges of first tokens that are inverted one after the other."""

    lows: np.ndarray  # uint32, (partitions,), the first token of each
    of_token: np.ndarray  # the smallest unsigned type, (tokens,), each token's


class CardEntries(NamedTuple):
    """What a run of cards holds; but for `counts`, it lasts until the next run."""

    signals: np.ndarray  # uint64, each card's signal keys, rising; end to end
    counts: np.ndarray  # int64, (cards,), how many each has
    rows: np.ndarray  # uint32; partition p's are `rows[starts[p]:ends[p]]`
    starts: np.ndarray  # int64, (partitions,)
    ends: np.ndarray  # int64, (partitions,)
    most_frequent: int  # the highest frequency of a token in a card


@njit(cache=True)
def count_tokens(sequence, counts):
    """Add to `counts` how often each token occurs in `sequence`."""
    for i in range(len(sequence)):
        counts[sequence[i]] += 1


def entries_of(
    sequence: np.ndarray,
    rank: np.ndarray,
    bounds: np.ndarray,
    first_card: int,
    joined_rank: np.ndarray,
    limit: int,
    partitions: Partitions,
    scratch: Scratch,
) -> CardEntries:
    """The entries of cards whose tokens are `sequence[bounds[i]:bounds[i + 1]]`.

    sequence: uint32, tokens by first sight; rank: their numbers in lexical order; joined_rank:
    `vocabulary.joined_ranks`, by those; limit: the cap. As `signals.signals` has it, a bigram is
    kept only when all unigrams are.
    """
    tokens = scratch.take("tokens", np.uint32, len(sequence))
    most = np.zeros(len(partitions.lows), np.int64)
    _rank(sequence, rank, partitions.of_token, tokens, most)
    starts = MOST_WORDS * (np.cumsum(most) - most)
    ends = starts.copy()
    signals = scratch.take("signals", np.uint64, 2 * len(sequence))
    rows = scratch.take("rows", np.uint32, MOST_WORDS * len(sequence))
    counts = np.empty(len(bounds) - 1, np.int64)
    size, most_frequent = _entries_of(
        tokens, bounds, first_card, joined_rank, limit, *partitions, signals, counts, rows, ends
    )
    return CardEntries(signals[:size], counts, rows, starts, ends, most_frequent)


@njit(cache=True)
def _rank(sequence, rank, part_of_token, tokens, most):
    for i in range(len(sequence)):
        tokens[i] = rank[sequence[i]]
        most[part_of_token[tokens[i]]] += 1


@njit(cache=True)
def _entries_of(
    tokens, bounds, first_card, joined_rank, limit, lows, part_of_token, signals, counts, rows, ends
):
    longest = 0
    for i in range(len(counts)):
        longest = max(longest, bounds[i + 1] - bounds[i])
    keys, ordered = np.empty(longest, np.uint64), np.empty(longest, np.uint64)
    # Of each distinct token of a card: itself, how often it stands there, where its distinct
    # bigrams end in `ordered`, how many of them are kept, and whether it is.
    own = np.empty((longest, 5), np.int64)
    order = np.empty(longest, np.int64)
    size = most_frequent = 0
    for i in range(len(counts)):
        begun = size
        count = bounds[i + 1] - bounds[i]
        _fill_keys(tokens, bounds[i], count, keys)
        _sort(keys, count, ordered)
        distinct, bigrams = _fold(ordered, count, own)
        if distinct > limit:
            _keep_most_frequent(own, distinct, limit)
        elif distinct + bigrams > limit:
            _keep_first_bigrams(own, distinct, limit - distinct, joined_rank, order)
        second = 0
        for u in range(distinct):
            token, frequency, kept_bigrams = own[u, 0], own[u, 1], own[u, 3]
            most_frequent = max(most_frequent, frequency)
            part = part_of_token[token]
            at = ends[part]
            fits = frequency <= MOST_FREQUENCY
            sizes = frequency << FREQUENCY_SHIFT | kept_bigrams << BIGRAMS_SHIFT if fits else 0
            rows[at] = (token - lows[part]) << TOKEN_SHIFT | sizes | own[u, 4]
            rows[at + 1] = first_card + i
            at += 2
            if not fits:
                rows[at], rows[at + 1] = frequency, kept_bigrams
                at += 2
            signals[size] = np.uint64(token) << _SHIFT
            size += own[u, 4]
            for b in range(second, second + kept_bigrams):
                signals[size] = ordered[b]
                size += 1
                rows[at] = (ordered[b] & _MASK) - np.uint64(1)
                at += 1
            ends[part] = at
            second = own[u, 2]
        counts[i] = size - begun
    return size, most_frequent


@njit(cache=True)
def _fill_keys(tokens, first, count, keys):
    """The keys of a card's bigrams in the text's order; then that of the last token, as unigram."""
    for i in range(count - 1):
        second = np.uint64(tokens[first + i + 1]) + np.uint64(1)
        keys[i] = np.uint64(tokens[first + i]) << _SHIFT | second
    if count:
        keys[count - 1] = np.uint64(tokens[first + count - 1]) << _SHIFT


@njit(cache=True)
def _sort(keys, count, ordered):
    """The first `count` of `keys` in rising order; where they are few, without a branch.

    Then a key that is there before stands as `_AGAIN`.
    """
    if count > _COMPARED:
        ordered[:count] = keys[:count]
        ordered[:count].sort()
        return
    for i in range(count):
        ordered[i] = _AGAIN
    for i in range(count):
        key = keys[i]
        place = np.uint64(0)
        for j in range(count):
            place += np.uint64(keys[j] < key)
        ordered[place] = key


@njit(cache=True)
def _fold(ordered, count, own):
    """Fill `own` from a card's sorted keys, all kept, and move the distinct bigrams to the front.

    Returns how many distinct tokens and bigrams there are. Each token is the first of as many keys
    as it has occurrences, the card's last token being so of its unigram's.
    """
    distinct = bigrams = i = 0
    while i < count:
        token, begun, first_bigram = ordered[i] >> _SHIFT, i, bigrams
        before = token << _SHIFT  # a unigram's key is no bigram
        while i < count and (ordered[i] >> _SHIFT == token or ordered[i] == _AGAIN):
            if ordered[i] != before and ordered[i] != _AGAIN:
                before = ordered[i]
                ordered[bigrams] = before
                bigrams += 1
            i += 1
        own[distinct, 0] = token
        own[distinct, 1] = i - begun
        own[distinct, 2] = bigrams
        own[distinct, 3] = bigrams - first_bigram
        own[distinct, 4] = 1
        distinct += 1
    return distinct, bigrams


@njit(cache=True)
def _keep_most_frequent(own, distinct, limit):
    """Keep the `limit` most frequent tokens, ties in lexical order, and no bigram."""
    best = np.argsort(-own[:distinct, 1], kind="mergesort")
    own[:distinct, 3] = 0
    for i in range(limit, distinct):
        own[best[i], 4] = 0


@njit(cache=True)
def _keep_first_bigrams(own, distinct, room, joined_rank, order):
    """Keep the `room` first bigrams in the order of the joined strings.

    That is the order of the first tokens with the joiner at their end, in which they nearly stand:
    a token only passes those that it begins, so the insertions are no more than the characters.
    """
    for u in range(distinct):
        rank, place = joined_rank[own[u, 0]], u
        while place > 0 and joined_rank[own[order[place - 1], 0]] > rank:
            order[place] = order[place - 1]
            place -= 1
        order[place] = u
    for place in range(distinct):
        kept = min(own[order[place], 3], room)
        own[order[place], 3] = kept
        room -= kept
