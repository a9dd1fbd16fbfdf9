"""The rank rule (SSR, section III-C), and the places that a tied card could take."""

from typing import NamedTuple

import numpy as np


class Scored(NamedTuple):
    """The candidate set C_q of a query: every card with a positive score."""

    cards: np.ndarray  # card numbers, rising
    scores: np.ndarray  # float64, higher is better
    matched: np.ndarray  # int64, matched signals or terms (0 where the method counts none)


class Top(NamedTuple):
    """The first cards for a query, best first."""

    cards: np.ndarray  # uint32, card numbers
    scores: np.ndarray  # float64
    matched: np.ndarray  # int64, as in `Scored`
    scored: int  # cards that were looked at: all candidates, unless the method leaves some out
    visited: int = 0  # postings gone through or looked up (0 where the method counts none)


def identical(one: Top, other: Top) -> bool:
    """Whether both hold the same cards in the same order, scores and matched counts alike."""
    return all(np.array_equal(*pair) for pair in zip(one[:3], other[:3], strict=True))


def tops(found: tuple[np.ndarray, ...]) -> list[Top]:
    """What a search of `top_cards` returned, query by query."""
    cards, scores, matched, counts = found
    return [
        Top(cards[i, :n], scores[i, :n], matched[i, :n], *work)
        for i, (n, *work) in enumerate(counts.tolist())
    ]


def nothing_scored() -> Scored:
    """The candidates of a query that matches no card."""
    return Scored(np.empty(0, np.uint32), np.empty(0, np.float64), np.empty(0, np.int64))


def best(scored: Scored, tie_order: np.ndarray, k: int) -> np.ndarray:
    """Positions in `scored` of the first k cards: by score, matched count, then `tie_order`.

    Linear in the candidates, plus a sort of those that score at least as the k-th.
    """
    positions = np.arange(len(scored.cards))
    if len(positions) > k:
        kth = np.partition(scored.scores, len(positions) - k)[len(positions) - k]
        positions = positions[scored.scores >= kth]
    order = np.lexsort(
        (
            tie_order[scored.cards[positions]],
            -scored.matched[positions],
            -scored.scores[positions],
        )
    )
    return positions[order[:k]]


def best_of(scored: Scored, tie_order: np.ndarray, k: int) -> Top:
    """The first k cards of a candidate set."""
    first = best(scored, tie_order, k)
    return Top(*(column[first] for column in scored), len(scored.cards))


def position_of(scored: Scored, card: int) -> int | None:
    """Where `card` stands in a candidate set, or None when it is no candidate."""
    position = int(np.searchsorted(scored.cards, card))
    if position == len(scored.cards) or scored.cards[position] != card:
        return None
    return position


def tied(scored: Scored, positions: np.ndarray) -> bool:
    """Whether two cards tie, so that only `tie_order` tells them apart; False for fewer."""
    pairs = zip(scored.scores[positions].tolist(), scored.matched[positions].tolist(), strict=True)
    return len(positions) > 1 and len(set(pairs)) == 1


def tie_span(scored: Scored, card: int) -> tuple[int, int] | None:
    """How many cards are above `card` in any order of ties, and how many (itself too) tie with it.

    Cards tie when score and matched count are equal. None when the card is no candidate.
    """
    position = position_of(scored, card)
    if position is None:
        return None
    score, matched = scored.scores[position], scored.matched[position]
    equal = scored.scores == score
    above = (scored.scores > score) | (equal & (scored.matched > matched))
    return int(above.sum()), int((equal & (scored.matched == matched)).sum())
