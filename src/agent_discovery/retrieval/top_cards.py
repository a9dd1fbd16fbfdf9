"""The compiled searches of posting lists for the first K cards: pruned, and exhaustive.

Both keep the best rows so far of a query in a heap with the worst row at its root, by the
rank rule (SSR, section III-C): score, then matched count, then the order of ties. A heap starts
full of rows that rank after any card, so that there is always a K-th best. Compiled functions that
call each other stand in this one file, since numba's cache notices a change of the caller's file
only.
"""

import numpy as np

from agent_discovery.retrieval.compiling import njit

# Sums of at most 64 positive doubles in any order differ by less than this, relatively.
SURELY_LESS = 1 - 1e-12
NO_CARD = -1.0  # the score of a row that holds no card
WINDOW_CARDS = 1 << 14  # their sums are 128 KiB, which stay in the cache
LITTLE = 0.5  # the share of the K-th best that lists left out may add
# Look-ups end the sooner the fewer lists there are: each list is then a large part of what a card
# can reach. So of few lists many look-ups are tried before windows are, and of many lists few.
PATIENCE = 1 << 19  # postings gone through, divided by the lists


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
    (float64) and matched (int64), each (queries, k); and for each query how many were found, how
    many cards were opened, and how many postings were visited: gone through or looked up (int64,
    (queries, 3)).
    """
    queries = len(bounds) - 1
    k = min(k, (ends - starts).sum())  # there are no more candidates than postings
    scores, matched, ties, cards = empty_rows(queries, k)
    counts = np.zeros((queries, 3), np.int64)
    for i in range(queries):
        first, last = bounds[i], bounds[i + 1]
        if first < last and k > 0:
            counts[i, 1], counts[i, 2] = _pruned(
                postings, starts[first:last], ends[first:last], idf[first:last], tie_order,
                rises, scores[i], matched[i], ties[i], cards[i],
            )  # fmt: skip
            counts[i, 0] = _sorted(scores[i], matched[i], ties[i], cards[i])
    return cards, scores, matched, counts


@njit(cache=True, nogil=True)
def _pruned(postings, starts, ends, idf, tie_order, rises, scores, matched, ties, cards):
    """Fill the heap of a query; return how many cards were opened, and postings visited."""
    lists, k = len(starts), len(scores)
    gain = _gains(idf)
    at, stride = np.empty(lists, np.int64), np.empty(lists, np.int64)
    opened, look_ups = 0, 0
    least = NO_CARD  # below it, a card is surely not among the first k
    for j in range(lists):
        if gain[j] < least:
            break
        # Where looking its cards up would cost more than going through what is left, do that.
        to_come = 0
        for other in range(j, lists):
            to_come += ends[other] - starts[other] if gain[other] >= least else 0
        at_most = (ends[j] - starts[j]) * (lists - 1 - j)
        if lists * look_ups + at_most > PATIENCE // lists + to_come:
            cards_there, visited = _windowed(
                postings, starts, ends, idf, gain, j, False, tie_order,
                scores, matched, ties, cards,
            )  # fmt: skip
            return opened + cards_there, opened + look_ups + visited
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
            look_ups += other - j - 1
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
    return opened, opened + look_ups


@njit(cache=True, nogil=True)
def _gains(weights):
    """What the lists from j on add up to, (lists + 1,)."""
    gain = np.zeros(len(weights) + 1)
    for j in range(len(weights) - 1, -1, -1):
        gain[j] = gain[j + 1] + weights[j]
    return gain


@njit(cache=True, nogil=True)
def _place(postings, low, end, card):
    """The first place from `low` on whose posting is not before the card; `end` if there is none"""
    step = 1
    high = low
    while high < end and postings[high] < card:
        low = high + 1
        high += step
        step += step
    high = min(high, end)
    while low < high:
        middle = (low + high) >> 1
        if postings[middle] < card:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def _in_any(postings, starts, ends, lists, card):
    """Whether one of the first `lists` lists holds the card."""
    for j in range(lists):
        place = _place(postings, starts[j], ends[j], card)
        if place < ends[j] and postings[place] == card:
            return True
    return False


@njit(cache=True, nogil=True)
def exhaustive(postings, starts, ends, weights, tie_order, k):
    """The first k cards of a query, every candidate scored.

    Returns as `pruned`, of one query, with |C_q| in the place of opened cards.
    """
    scores, matched, ties, cards = empty_rows(1, k)
    counts = np.zeros((1, 3), np.int64)
    if k > 0:
        counts[0, 1], counts[0, 2] = _windowed(
            postings, starts, ends, weights, _gains(weights), 0, True, tie_order,
            scores[0], matched[0], ties[0], cards[0],
        )  # fmt: skip
        counts[0, 0] = _sorted(scores[0], matched[0], ties[0], cards[0])
    return cards, scores, matched, counts


@njit(cache=True, nogil=True)
def _windowed(
    postings, starts, ends, weights, gain, start, every, tie_order, scores, matched, ties, cards
):
    """Fill the heap from the lists from `start` on, a window of cards at a time.

    Returns how many cards were scored, and how many postings were visited.

    Lists are added up in their order, so a sum has the bits of the fixed order. every: go through
    all these lists, so that all candidates are scored; otherwise the last, longest ones are left
    out where they add little, and only cards that may be among the first are looked up in them.
    Cards of the lists before `start` are in the heap already, or cannot be.
    """
    total, lists, k = len(tie_order), len(starts), len(scores)
    sums, counts = np.zeros(WINDOW_CARDS), np.zeros(WINDOW_CARDS, np.uint8)
    touched = np.empty(WINDOW_CARDS + 1, np.uint32)
    at = starts.copy()
    candidates, visited, opened = 0, 0, lists
    for first in range(0, total, WINDOW_CARDS):
        end_card = min(first + WINDOW_CARDS, total)
        least = scores[0] * SURELY_LESS
        while not every and opened > start and gain[opened - 1] < least * LITTLE:
            opened -= 1
        size = 0
        for j in range(start, opened):
            i, end, weight = at[j], ends[j], weights[j]
            while i < end and postings[i] < end_card:
                place = postings[i] - first
                sums[place] += weight
                count = counts[place]
                counts[place] = count + 1
                touched[size] = place
                size += count == 0
                i += 1
            visited += i - at[j]
            at[j] = i
        for j in range(opened, lists):
            at[j] = _place(postings, at[j], ends[j], first)
        candidates += size
        for t in range(size):
            place = touched[t]
            score, count = sums[place], np.int64(counts[place])
            sums[place], counts[place] = 0, 0
            if score + gain[opened] < least:
                continue
            card = first + np.int64(place)
            j = opened
            while j < lists and score + gain[j] >= least:
                found = _place(postings, at[j], ends[j], card)
                visited += 1
                if found < ends[j] and postings[found] == card:
                    score += weights[j]
                    count += 1
                j += 1
            if j < lists or score < scores[0] or (score == scores[0] and count < matched[0]):
                continue
            tie = np.int64(tie_order[card])
            if _worse(scores[0], matched[0], ties[0], score, count, tie) and not _in_any(
                postings, starts, ends, start, card
            ):
                _replace(scores, matched, ties, cards, k, score, count, tie, card)
                least = scores[0] * SURELY_LESS
    return candidates, visited
