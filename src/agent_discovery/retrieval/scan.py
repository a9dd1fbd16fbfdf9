"""The compiled scan of every card for many queries at once; no inverted list is involved."""

import numpy as np

from agent_discovery.retrieval.compiling import njit

NO_CARD = -1.0  # the score of a row that holds no card
HASH = np.uint64(0x9E3779B97F4A7C15)  # multiplied with it, keys have their high bits spread


@njit(cache=True, nogil=True)
def scanned(
    card_signals, card_offsets, keys, use_bounds, use_queries, use_bits, weights, tie_order, k
):
    """The first k cards of each query, in one pass over the signals of all cards.

    keys: uint64, distinct; key d is bit `use_bits[u]` of query `use_queries[u]` for u from
    `use_bounds[d]` to `use_bounds[d + 1]`; weights: (queries, bits); k at least 1. Returns cards
    (uint32), scores (float64) and matched (int64), each (queries, k), best first; and for each
    query how many were found, and |C_q| (int64, (queries, 2)).
    """
    queries = len(weights)
    scores, cards = np.full((queries, k), NO_CARD), np.zeros((queries, k), np.uint32)
    matched, ties = np.zeros((queries, k), np.int64), np.zeros((queries, k), np.int64)
    counts = np.zeros((queries, 2), np.int64)
    masks, touched = np.zeros(queries, np.uint64), np.empty(queries + 1, np.int64)
    slots, shift = _hashed(keys)
    last_slot = len(slots) - 1
    for card in range(len(card_offsets) - 1):
        size = 0
        for i in range(card_offsets[card], card_offsets[card + 1]):
            key = card_signals[i]
            slot = np.int64((key * HASH) >> shift)
            d = slots[slot]
            while d >= 0 and keys[d] != key:
                slot = (slot + 1) & last_slot
                d = slots[slot]
            if d < 0:
                continue
            for use in range(use_bounds[d], use_bounds[d + 1]):
                q = use_queries[use]
                touched[size] = q
                if masks[q] == 0:
                    size += 1
                masks[q] |= np.uint64(1) << np.uint64(use_bits[use])
        for t in range(size):
            q, score, count = touched[t], 0.0, 0
            for j in range(weights.shape[1]):
                if (masks[q] >> np.uint64(j)) & np.uint64(1):
                    score += weights[q, j]
                    count += 1
            masks[q] = 0
            counts[q, 1] += 1
            if score >= scores[q, k - 1]:
                tie = np.int64(tie_order[card])
                counts[q, 0] = _insert(
                    scores[q], matched[q], ties[q], cards[q], counts[q, 0], score, count, tie, card
                )
    return cards, scores, matched, counts


@njit(cache=True, nogil=True)
def _hashed(keys):
    """A hash table of the keys, an eighth full at most, and the shift that makes slots of hashes"""
    bits = 3
    while (1 << bits) < 8 * len(keys):
        bits += 1
    shift = np.uint64(64 - bits)
    slots = np.full(1 << bits, -1, np.int32)
    for d in range(len(keys)):
        slot = np.int64((keys[d] * HASH) >> shift)
        while slots[slot] >= 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = d
    return slots, shift


@njit(cache=True, nogil=True)
def _insert(scores, matched, ties, cards, size, score, count, tie, card):
    """Put a card in its place by the rank rule, unless that is behind the last; return the size."""
    at = size
    while at > 0:
        above = at - 1
        if scores[above] > score or (
            scores[above] == score
            and (matched[above] > count or (matched[above] == count and ties[above] < tie))
        ):
            break
        if at < len(scores):
            scores[at], matched[at] = scores[above], matched[above]
            ties[at], cards[at] = ties[above], cards[above]
        at = above
    if at < len(scores):
        scores[at], matched[at], ties[at], cards[at] = score, count, tie, card
        size = min(size + 1, len(scores))
    return size
