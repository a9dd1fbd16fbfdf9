"""Which queries are evaluated: the recipe written out again, and small cases by hand."""

import random

import pandas as pd
from corpus_files import refusal
from hypothesis import given
from hypothesis import strategies as st
from pytest import mark

from agent_discovery.evaluation.samples import (
    common_sample,
    eligible_queries,
    relevant_cards,
    selected_queries,
)

QRELS = pd.DataFrame(
    [
        ("q9", "a", 0),
        ("q10", "a", 1),
        ("q2", "b", 2),
        ("q10", "c", 1),
        ("q9", "c", 1),
        ("q1", "d", 0),
        ("q3", "d", -1),
        ("q2", "c", -1),
    ],
    columns=["qid", "id", "grade"],
)


def test_eligible_queries_come_in_the_order_of_their_first_positive_judgment():
    assert eligible_queries(QRELS) == ["q10", "q2", "q9"]


def test_only_positive_judgments_make_a_card_relevant():
    assert relevant_cards(QRELS) == {"q10": ["a", "c"], "q2": ["b"], "q9": ["c"]}


@mark.parametrize("grades", [[], [0], [0, -1]])
def test_without_a_positive_judgment_nothing_can_be_scored(grades):
    qrels = pd.DataFrame({"qid": "q", "id": [str(grade) for grade in grades], "grade": grades})
    assert "no query has a positive judgment" in refusal(eligible_queries, qrels)


def test_the_published_sample_recipe():
    """`sorted(random.Random(42).sample(range(n), 200))`, n as in MS MARCO's dev set."""
    eligible = [f"id{place}" for place in range(6980)]
    places = random.Random(42).sample(range(6980), 200)
    assert common_sample(eligible, 200, 42) == [f"id{place}" for place in sorted(places)]


def test_a_small_sample_by_literal_value():
    """CPython promises that a seed keeps its sequence; `sample` gives places 1, 0 and 4 here."""
    assert common_sample(list("abcdefghij"), 3, 42) == ["a", "b", "e"]


@given(st.integers(1, 60), st.integers(1, 80), st.integers(0, 9))
def test_a_sample_keeps_the_order_and_takes_each_query_once(count, size, seed):
    eligible = [f"q{(place * 37) % 101}" for place in range(count)]
    sample = common_sample(eligible, size, seed)
    assert len(sample) == min(size, count)
    assert [qid for qid in eligible if qid in set(sample)] == sample
    assert common_sample(eligible, size, seed) == sample


def test_fewer_queries_than_the_size_are_all_taken():
    assert common_sample(["q2", "q1"], 200, 42) == ["q2", "q1"]


QUERIES = pd.DataFrame({"qid": ["q1", "q2", "q9", "q10"], "text": ["one", "two", "nine", "ten"]})


def test_selected_queries_are_all_eligible_ones_with_their_texts():
    expected = [("q10", "ten"), ("q2", "two"), ("q9", "nine")]
    assert selected_queries(QUERIES, QRELS, None) == expected
    assert selected_queries(QUERIES, QRELS, (200, 42)) == expected


def test_selected_queries_of_a_sample():
    """Of three places, `random.Random(42).sample(range(3), 2)` takes the last and the first."""
    assert random.Random(42).sample(range(3), 2) == [2, 0]
    assert selected_queries(QUERIES, QRELS, (2, 42)) == [("q10", "ten"), ("q9", "nine")]
