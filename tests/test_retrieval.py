"""The structural methods against the reference: scores, order, explanations, and odd queries."""

import math
from collections.abc import Callable

import numpy as np
import reference
from generated import card_of, cards_of, texts
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx, fixture, mark
from world import World

from agent_discovery.cards import Field
from agent_discovery.retrieval.explain import explain, signal_fields
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.lexical import TfIdf
from agent_discovery.retrieval.ranking import Scored, best
from agent_discovery.retrieval.structural import FullScan, Overlap, Ssr

DEPTH = 20
INDEX_METHODS = [Ssr, Overlap, FullScan, TfIdf]
TIE_BREAKS = ["paper", "authors"]

Hits = dict[str, reference.Hit]


def hits_of(index: InvertedSignalIndex, scored: Scored) -> Hits:
    """The candidates by id; their numbers must rise."""
    cards = scored.cards.tolist()
    assert cards == sorted(set(cards))
    columns = zip(scored.scores.tolist(), scored.matched.tolist(), strict=True)
    return {
        index.id_of(card): reference.Hit(*hit) for card, hit in zip(cards, columns, strict=True)
    }


def ranked(index: InvertedSignalIndex, scored: Scored, tie_break: str, k: int) -> list[str]:
    positions = best(scored, index.tie_order(tie_break), k)
    return [index.id_of(card) for card in scored.cards[positions]]


def agree(world: World, query: str, method: type[Ssr], plain: Callable[[str], Hits]) -> None:
    """The same candidates, the same scores to the last bit, the same order of the first."""
    scored, expected = method(world.index).score(query), plain(query)
    assert hits_of(world.index, scored) == expected
    for tie_break in TIE_BREAKS:
        found = ranked(world.index, scored, tie_break, DEPTH)
        assert found == world.plain.ranked(expected, tie_break, DEPTH)


# --- by hand --------------------------------------------------------------------------------------

BY_HAND = [
    card_of("1", "weather forecast"),
    card_of("2", "forecast the weather"),
    card_of("10", "weather station"),
    card_of("7", "train tickets"),
]


def test_ssr_by_hand(build):
    index = build(BY_HAND)
    ones, twos, threes = (math.log(5 / (1 + df)) + 1 for df in (1, 2, 3))
    hits = hits_of(index, Ssr(index).score("the weather forecast"))
    assert hits == {
        "1": (ones + twos + threes, 3),  # weather_forecast, forecast, weather: the rarest first
        "2": (twos + threes, 2),
        "10": (threes, 1),
    }


def test_overlap_by_hand(build):
    index = build(BY_HAND)
    assert hits_of(index, Overlap(index).score("the weather forecast")) == {
        "1": (3.0, 3),
        "2": (2.0, 2),
        "10": (1.0, 1),
    }


def test_tf_idf_by_hand(build):
    index = build(cards_of(["map map city", "city of cities", "train"]))
    hits = hits_of(index, TfIdf(index).score("map city map train-map"))
    rare, common = math.log(4 / 2) + 1, math.log(4 / 3) + 1
    assert {card: hit.matched for card, hit in hits.items()} == {"0": 2, "1": 1, "2": 1}
    scores = {card: hit.score for card, hit in hits.items()}
    assert scores == approx({"0": 3 * 2 * rare + common, "1": common, "2": rare})


@mark.parametrize(
    ("tie_break", "order"), [("paper", ["2", "9", "10"]), ("authors", ["9", "2", "10"])]
)
def test_ties_by_hand(build, tie_break, order):
    """Card 11 has nothing in common, and the others tie; "10" is lowest as a string."""
    index = build(
        [card_of(card, "same text") for card in ("10", "9", "2")] + [card_of("11", "not")]
    )
    assert ranked(index, Ssr(index).score("same"), tie_break, 10) == order


# --- against the reference ------------------------------------------------------------------------


def test_ssr_equals_the_reference(world):
    for query in world.queries:
        agree(world, query, Ssr, world.plain.ssr)


def test_overlap_equals_the_reference(world):
    for query in world.queries:
        agree(world, query, Overlap, world.plain.overlap)


def test_full_scan_equals_ssr(world):
    ssr, full_scan = Ssr(world.index), FullScan(world.index)
    for query in world.queries:
        for one, other in zip(ssr.score(query), full_scan.score(query), strict=True):
            assert one.tolist() == other.tolist()


def test_tf_idf_equals_the_reference(world):
    for query in world.queries:
        hits = hits_of(world.index, TfIdf(world.index).score(query))
        assert {card: hit.score for card, hit in hits.items()} == approx(
            world.plain.tf_idf(query), rel=1e-12
        )


@given(st.lists(texts, min_size=1, max_size=6), texts)
def test_any_query_on_any_registry(build, card_texts, query):
    index, plain = build(cards_of(card_texts)), reference.Registry(dict(enumerate(card_texts)))
    expected = {str(card): hit for card, hit in plain.ssr(query).items()}
    assert hits_of(index, Ssr(index).score(query)) == expected
    assert hits_of(index, FullScan(index).score(query)) == expected


# --- explanations ---------------------------------------------------------------------------------


def test_explanations_equal_the_reference(world):
    cards = {card.id: card for card in world.cards}
    ssr = Ssr(world.index)
    for query in world.queries:
        lists = world.index.signal_lists(query)
        scored = ssr.score(query)
        for position in best(scored, world.index.tie_order("paper"), 10):
            number = int(scored.cards[position])
            card = cards[world.index.id_of(number)]
            evidence = explain(world.index, lists, number, card.fields)
            idfs = {signal: idf for signal, idf, _ in evidence}
            assert idfs == world.plain.explanation(query, card.id)
            assert list(idfs.values()) == sorted(idfs.values(), reverse=True)
            assert reference.added(idfs.values()) == scored.scores[position]
            origin = reference.provenance(card.fields)
            assert all(set(paths) == origin[signal] for signal, _, paths in evidence)


def test_evidence_by_hand(build):
    card = card_of("1", "Flight tools", "book the flight", "of the", "class", "book")
    index = build([card, card_of("2", "book shop"), card_of("3", "class room")])
    evidence = explain(index, index.signal_lists("flight class: book a flight"), 0, card.fields)
    once, twice = math.log(4 / 2) + 1, math.log(4 / 3) + 1
    assert evidence == [
        ("book_flight", once, ("part1",)),
        ("class_book", once, ("part3", "part4")),
        ("flight", once, ("part0", "part1")),
        ("flight_class", once, ("part1", "part3")),  # across the stopwords of part2
        ("book", twice, ("part1", "part4")),
        ("class", twice, ("part3",)),
    ]


def test_a_card_that_matches_nothing_has_no_evidence(build):
    index = build(BY_HAND)
    assert explain(index, index.signal_lists("weather"), 3, BY_HAND[3].fields) == []


@given(st.lists(st.tuples(st.sampled_from(["name", "skill", "tags"]), texts), max_size=5))
def test_fields_equal_the_reference(pairs):
    """Paths may repeat, as those of list items do."""
    traced = signal_fields([Field(path, text) for path, text in pairs])
    assert {signal: set(paths) for signal, paths in traced.items()} == reference.provenance(pairs)
    assert all(len(paths) == len(set(paths)) for paths in traced.values())


# --- odd queries ----------------------------------------------------------------------------------


@mark.parametrize("method", INDEX_METHODS)
@mark.parametrize("query", ["", " ", "the of a", "x 7 _", "nosuchword", "\u0130"])
def test_queries_without_candidates(generated_world, method, query):
    scored = method(generated_world.index).score(query)
    assert [len(column) for column in scored] == [0, 0, 0]
    assert len(best(scored, generated_world.index.tie_order("paper"), 10)) == 0


@fixture(scope="module")
def full_width_world(world_of) -> World:
    """Cards that hold all, one, or none of 64 words, so that every bit of a mask is used alone."""
    words = [f"word{number:02d}" for number in range(64)]
    alone = [words[i] for i in range(64) for _ in range(1 + i % 3)]
    return world_of(cards_of([" ".join(words), *alone, "none of them"]), [" ".join(words)])


@mark.parametrize("method", [Ssr, FullScan])
def test_a_query_of_64_signals(full_width_world, method):
    (query,) = full_width_world.queries
    assert len(full_width_world.index.signal_lists(query).keys) == 64
    agree(full_width_world, query, method, full_width_world.plain.ssr)
    agree(full_width_world, f"{query} word99 word00", method, full_width_world.plain.ssr)
    hits = hits_of(full_width_world.index, method(full_width_world.index).score(query))
    assert hits["0"].matched == 64


def test_a_query_of_5000_terms(world):
    query = " ".join(f"term{n} ab1 w{n % 50} file" for n in range(1250))
    agree(world, query, Ssr, world.plain.ssr)
    hits = hits_of(world.index, TfIdf(world.index).score(query))
    expected = world.plain.tf_idf(query)
    assert {card: hit.score for card, hit in hits.items()} == approx(expected, rel=1e-12)


def test_more_cards_than_one_block(build):
    """Ssr works through 65,536 cards at a time; here the second block of three has no candidate."""
    size, block = 140_000, 1 << 16
    empty = range(block, 2 * block)
    index = build(cards_of("pad" if n in empty else f"ab{n % 3} pad{n % 7}" for n in range(size)))
    scored = Ssr(index).score("ab1 pad2")
    numbers = np.array([n for n in range(size) if n not in empty and (n % 3 == 1 or n % 7 == 2)])
    assert np.array_equal(scored.cards, numbers)
    both = (numbers % 3 == 1) & (numbers % 7 == 2)
    assert np.array_equal(scored.matched, np.where(both, 3, 1))  # with ab1_pad2
    for one, other in zip(scored, FullScan(index).score("ab1 pad2"), strict=True):
        assert np.array_equal(one, other)
