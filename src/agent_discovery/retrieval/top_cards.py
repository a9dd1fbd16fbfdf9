"""The compiled searches for the first K cards: pruned, exhaustive, and by scanning every card.

All three keep the best rows so far of a query in a heap with the worst row at its root, by the
rank rule (SSR, section III-C): score, then matched count, then the order of ties. A heap starts
full of rows that rank after any card, so that there is always a K-th best. Compiled functions that
call each other stand in this one file, since numba's cache notices a change of the caller's file
only.
"""

import numpy as np
from numba import njit

# Sums of at most 64 positive doubles in any order differ by less than this, relatively.
SURELY_LESS = 1 - 1e-12
NO_CARD = -1.0  # the score of a row that holds no card
WINDOW_CARDS = 1 << 16
TABLE_BITS = 12
HASH = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def empty_rows(queries, k):
    """Rows that hold no card: scores, matched, places in the order of ties, cards; (queries, k)."""
    matched, ties = np.zeros((queries, k), np.int64), np.zeros((queries, k), np.int64)
    return np.full((queries, k), NO_CARD), matched, ties, np.zeros((queries, k), np.uint32)


@njit(cache=True, nogil=True)
def _worse(score, count, tie, other_score, other_count, other_tie):
    """Whether a row ranks after another."""
    if score != other_score:
        return score < other_score
    if count != other_count:
        return count < other_count
    return tie > other_tie


@njit(cache=True, nogil=True)
def _replace(scores, matched, ties, cards, size, score, count, tie, card):
    """Put a row into the heap (the first `size` rows) in place of its root, the worst row."""
    hole = 0
    while 2 * hole + 1 < size:
        below = 2 * hole + 1
        right = min(below + 1, size - 1)
        if _worse(
            scores[right], matched[right], ties[right], scores[below], matched[below], ties[below]
        ):
            below = right
        if _worse(score, count, tie, scores[below], matched[below], ties[below]):
            break
        scores[hole], matched[hole] = scores[below], matched[below]
        ties[hole], cards[hole] = ties[below], cards[below]
        hole = below
    scores[hole], matched[hole], ties[hole], cards[hole] = score, count, tie, card


@njit(cache=True, nogil=True)
def _sorted(scores, matched, ties, cards):
    """Turn a heap into rows, best first; return how many hold a card."""
    for last in range(len(scores) - 1, 0, -1):
        score, count, tie, card = scores[last], matched[last], ties[last], cards[last]
        scores[last], matched[last], ties[last], cards[last] = (
            scores[0], matched[0], ties[0], cards[0],
        )  # fmt: skip
        _replace(scores, matched, ties, cards, last, score, count, tie, card)
    found = 0
    while found < len(scores) and scores[found] != NO_CARD:
        found += 1
    return found


@njit(cache=True, nogil=True)
def pruned(postings, starts, ends, idf, bounds, tie_order, rises, k):
    """The first k cards of each query; its lists are those from `bounds[i]` to `bounds[i + 1]`.

    rises: whether `tie_order` rises with the card numbers. Returns cards (uint32), scores
    (float64) and matched (int64), each (queries, k); how many were found, and how many cards were
    opened (int64, (queries,)).
    """
    queries = len(bounds) - 1
    scores, matched, ties, cards = empty_rows(queries, k)
    found, opened = np.zeros(queries, np.int64), np.zeros(queries, np.int64)
    for i in range(queries):
        first, last = bounds[i], bounds[i + 1]
        if first < last and k > 0:
            opened[i] = _pruned(
                postings, starts[first:last], ends[first:last], idf[first:last], tie_order,
                rises, scores[i], matched[i], ties[i], cards[i],
            )  # fmt: skip
            found[i] = _sorted(scores[i], matched[i], ties[i], cards[i])
    return cards, scores, matched, found, opened


@njit(cache=True, nogil=True)
def _pruned(postings, starts, ends, idf, tie_order, rises, scores, matched, ties, cards):
    """Fill the heap of a query; return how many cards were opened."""
    lists, k = len(starts), len(scores)
    gain = np.zeros(lists + 1)  # what the lists from j on add up to
    for j in range(lists - 1, -1, -1):
        gain[j] = gain[j + 1] + idf[j]
    at, stride = np.empty(lists, np.int64), np.empty(lists, np.int64)
    opened = 0
    least = NO_CARD  # below it, a card is surely not among the first k
    for j in range(lists):
        if gain[j] < least:
            break
        for other in range(j + 1, lists):
            at[other] = starts[other]
            stride[other] = max(1, (ends[other] - starts[other]) // (ends[j] - starts[j]))
        last = j == lists - 1
        for i in range(starts[j], ends[j]):
            card, score, count, other = postings[i], idf[j], 1, j + 1
            opened += 1
            while other < lists and score + gain[other] >= least:
                # The first place in the other list that is not before this card: steps that grow,
                # then halving. Cards rise, so it is never before the place found last.
                place, end = at[other], ends[other]
                if place < end and postings[place] < card:
                    step = stride[other]
                    low = place
                    place += step
                    while place < end and postings[place] < card:
                        low = place
                        step += step
                        place += step
                    place = min(place, end)
                    while place - low > 1:
                        middle = (low + place) >> 1
                        if postings[middle] < card:
                            low = middle
                        else:
                            place = middle
                    at[other] = place
                if place < end and postings[place] == card:
                    score += idf[other]
                    count += 1
                other += 1
            if other < lists:
                continue
            # In the last list all cards have this score: those to come are no better.
            if score < scores[0] or (score == scores[0] and count < matched[0]):
                if last:
                    break
                continue
            tie = np.int64(tie_order[card])
            if not _worse(scores[0], matched[0], ties[0], score, count, tie):
                if last and rises:
                    break
                continue
            # A card that is in a list opened before has had its whole score there.
            if _in_any(postings, starts, ends, j, card):
                continue
            _replace(scores, matched, ties, cards, k, score, count, tie, card)
            least = scores[0] * SURELY_LESS
            if gain[j] < least:
                break
    return opened


@njit(cache=True, nogil=True)
def _in_any(postings, starts, ends, lists, card):
    """Whether one of the first `lists` lists holds the card."""
    for j in range(lists):
        low, high = starts[j], ends[j]
        while low < high:
            middle = (low + high) >> 1
            if postings[middle] < card:
                low = middle + 1
            else:
                high = middle
        if low < ends[j] and postings[low] == card:
            return True
    return False


@njit(cache=True, nogil=True)
def score_table(weights):
    """The score of each mask of the first lists (`TABLE_BITS` at most), added from bit 0 up."""
    bits = min(len(weights), TABLE_BITS)
    table = np.zeros(1 << bits)
    for j in range(bits):
        for mask in range(1 << j):
            table[mask | (1 << j)] = table[mask] + weights[j]
    return table


@njit(cache=True, nogil=True)
def exhaustive(postings, starts, ends, weights, tie_order, masks, k):
    """The first k cards of a query, every candidate scored, a window of cards at a time.

    masks: zeros, an unsigned bit for each list, (window,); a card's bits are the lists that it is
    on. Returns as `pruned`, of one query, with |C_q| in the place of opened cards.
    """
    window, total = len(masks), len(tie_order)
    all_scores, all_matched, all_ties, all_cards = empty_rows(1, k)
    scores, matched, ties, cards = all_scores[0], all_matched[0], all_ties[0], all_cards[0]
    table = score_table(weights)
    low_bits = np.uint64(len(table) - 1)
    touched = np.empty(window + 1, np.uint32)
    at = starts.copy()
    candidates = 0
    for first in range(0, total if k > 0 else 0, window):
        end_card = min(first + window, total)
        size = 0
        for j in range(len(at)):
            bit = masks.dtype.type(1 << j)
            i, end = at[j], ends[j]
            while i < end and postings[i] < end_card:
                place = postings[i] - first
                mask = masks[place]
                masks[place] = mask | bit
                touched[size] = place
                size += mask == 0
                i += 1
            at[j] = i
        candidates += size
        for t in range(size):
            place = touched[t]
            mask = np.uint64(masks[place])
            masks[place] = 0
            score = table[mask & low_bits]
            if mask > low_bits:
                for j in range(TABLE_BITS, len(weights)):
                    if (mask >> np.uint64(j)) & np.uint64(1):
                        score += weights[j]
            if score >= scores[0]:
                card, count = first + place, _bits(mask)
                tie = np.int64(tie_order[card])
                if _worse(scores[0], matched[0], ties[0], score, count, tie):
                    _replace(scores, matched, ties, cards, k, score, count, tie, card)
    found = np.full(1, _sorted(scores, matched, ties, cards))
    return all_cards, all_scores, all_matched, found, np.full(1, candidates)


@njit(cache=True, nogil=True)
def _bits(mask):
    count = 0
    while mask != 0:
        mask &= mask - np.uint64(1)
        count += 1
    return count


@njit(cache=True, nogil=True)
def scanned(
    card_signals, card_offsets, keys, use_bounds, use_queries, use_bits, weights, tie_order, k
):
    """The first k cards of each query, in one pass over the signals of all cards.

    keys: uint64, distinct; key d is bit `use_bits[u]` of query `use_queries[u]` for u from
    `use_bounds[d]` to `use_bounds[d + 1]`; weights: (queries, bits). Returns as `pruned`, with
    |C_q| in the place of opened cards.
    """
    queries = len(weights)
    scores, matched, ties, cards = empty_rows(queries, k)
    found, candidates = np.zeros(queries, np.int64), np.zeros(queries, np.int64)
    masks, touched = np.zeros(queries, np.uint64), np.empty(queries + 1, np.int64)
    # A hash table of the keys, an eighth full at most; multiplied, their high bits are spread.
    size_bits = 3
    while (1 << size_bits) < 8 * len(keys):
        size_bits += 1
    shift, last_slot = np.uint64(64 - size_bits), (1 << size_bits) - 1
    slots = np.full(1 << size_bits, -1, np.int32)
    for d in range(len(keys)):
        slot = np.int64((keys[d] * HASH) >> shift)
        while slots[slot] >= 0:
            slot = (slot + 1) & last_slot
        slots[slot] = d
    for card in range(len(card_offsets) - 1 if k > 0 else 0):
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
            q, score = touched[t], 0.0
            for j in range(weights.shape[1]):
                if (masks[q] >> np.uint64(j)) & np.uint64(1):
                    score += weights[q, j]
            candidates[q] += 1
            if score >= scores[q, 0]:
                count, tie = _bits(masks[q]), np.int64(tie_order[card])
                if _worse(scores[q, 0], matched[q, 0], ties[q, 0], score, count, tie):
                    _replace(scores[q], matched[q], ties[q], cards[q], k, score, count, tie, card)
            masks[q] = 0
    for q in range(queries):
        found[q] = _sorted(scores[q], matched[q], ties[q], cards[q])
    return cards, scores, matched, found, candidates
