"""The rank rule and the span of ties, against sorting and counting."""

import numpy as np
from generated import cards_of
from hypothesis import given
from hypothesis import strategies as st
from pytest import mark

from agent_discovery.retrieval.ranking import Scored, best, nothing_scored, tie_span, tied
from agent_discovery.retrieval.structural import FullScan, Overlap, Ssr

REGISTRY = 40


Row = tuple[float, int, int]  # score, matched count, card


def rows_of(hits: list[tuple[float, int] | None]) -> list[Row]:
    """Candidates from what each card of the registry scored, where it did."""
    return [(*hit, card) for card, hit in enumerate(hits) if hit is not None]


def scored_of(rows: list[Row]) -> Scored:
    scores, matched, cards = zip(*rows, strict=True) if rows else ((), (), ())
    return Scored(
        np.array(cards, np.uint32), np.array(scores, np.float64), np.array(matched, np.int64)
    )


# So few values that most of the candidates tie with others.
hits = st.tuples(st.sampled_from([0.1, 0.3, 2.5]), st.integers(1, 2))
candidates = st.lists(st.none() | hits, max_size=REGISTRY).map(rows_of)
tie_orders = st.permutations(range(REGISTRY)).map(np.array)


@given(candidates, tie_orders, st.integers(1, REGISTRY + 5))
def test_best_is_the_head_of_a_full_sort(rows, tie_order, k):
    expected = sorted(rows, key=lambda row: (-row[0], -row[1], tie_order[row[2]]))
    found = best(scored_of(rows), tie_order, k)
    assert [rows[position] for position in found] == expected[:k]


@mark.parametrize(
    ("k", "expected"),
    # Card 9 scores highest; 2 and 7 match more than 5; of those two, 7 comes first by `tie_order`.
    [(1, [9]), (2, [9, 7]), (3, [9, 7, 2]), (4, [9, 7, 2, 5]), (50, [9, 7, 2, 5])],
)
def test_best_by_hand(k, expected):
    scored = Scored(
        np.array([2, 5, 7, 9], np.uint32), np.array([1.5, 1.5, 1.5, 2.0]), np.array([3, 2, 3, 1])
    )
    tie_order = np.arange(10)[::-1]
    assert scored.cards[best(scored, tie_order, k)].tolist() == expected


def test_best_of_nothing_is_nothing():
    assert len(best(nothing_scored(), np.arange(3), 10)) == 0


@given(candidates)
def test_tie_span_against_counting(rows):
    scored = scored_of(rows)
    for score, matched, card in rows:
        above = sum(row[0] > score or (row[0] == score and row[1] > matched) for row in rows)
        tied = sum(row[:2] == (score, matched) for row in rows)
        assert tie_span(scored, card) == (above, tied)
    for card in set(range(REGISTRY + 1)) - {row[2] for row in rows}:
        assert tie_span(scored, card) is None


@given(candidates, tie_orders)
def test_a_card_ranks_within_its_tie_span(rows, tie_order):
    scored = scored_of(rows)
    for rank, position in enumerate(best(scored, tie_order, REGISTRY)):
        above, tied = tie_span(scored, rows[position][2])
        assert above <= rank < above + tied


@given(st.lists(st.permutations(range(12)), min_size=2, max_size=6), st.randoms())
def test_the_same_matches_tie_exactly(build, orders, rng):
    """The same words in any order, among cards that give each word a weight of its own."""
    words = [f"word{number:02d}" for number in range(12)]
    # A word of the card's own after each, so that no bigram of the query is matched.
    same = [" ".join(f"{words[i]} own{card}" for i in order) for card, order in enumerate(orders)]
    others = [
        " ".join(words[i] for i in range(12) if rng.random() < (i + 1) / 14) for _ in range(9)
    ]
    index = build(cards_of(same + others))
    for method in (Ssr, FullScan, Overlap):
        scored = method(index).score(" ".join(rng.sample(words, 12)))
        # All of `same` are candidates, and the cards rise: they are the first.
        assert len(set(scored.scores[: len(same)].tolist())) == 1
        assert set(scored.matched[: len(same)].tolist()) == {12}


@given(candidates, tie_orders, st.integers(1, REGISTRY + 5))
def test_the_last_place_is_tied_where_the_next_card_has_its_score_and_matches(rows, order, k):
    scored = scored_of(rows)
    ranked = sorted(rows, key=lambda row: (-row[0], -row[1], order[row[2]]))
    expected = len(ranked) > k and ranked[k - 1][:2] == ranked[k][:2]
    assert tied(scored, best(scored, order, k + 1)[k - 1 : k + 1]) == expected
