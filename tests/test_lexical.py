"""BM25 by FTS5 against the formula, and what FTS5 or SQLite could take for syntax."""

import math

from generated import cards_of, random_cards, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx, fixture, mark, raises
from world import World

from agent_discovery.cards import card_batches
from agent_discovery.errors import InputError
from agent_discovery.retrieval.lexical import Bm25, build_fts
from agent_discovery.retrieval.ranking import Scored, best

CLOSE = 1e-9


def scores_of(world: World, scored: Scored) -> dict[str, float]:
    cards = scored.cards.tolist()
    assert cards == sorted(set(cards))
    assert not scored.matched.any()
    scores = scored.scores.tolist()
    return {world.index.id_of(card): score for card, score in zip(cards, scores, strict=True)}


def agree(world: World, query: str) -> None:
    expected = world.plain.bm25(query)
    assert scores_of(world, world.bm25.score(query)) == approx(expected, rel=CLOSE)


def test_bm25_by_hand(tmp_path):
    build_fts(card_batches(cards_of(["map map city", "the city", "train", ""])), tmp_path / "fts")
    scored = Bm25(tmp_path / "fts").score("map of the city map")
    # Lengths 3, 1, 1 and 0: 1.25 on average. "city" is in half of the cards, so its IDF is clamped.
    rare, least = math.log((4 - 1 + 0.5) / (1 + 0.5)), 1e-6
    long, short = (1.2 * (1 - 0.75 + 0.75 * length / 1.25) for length in (3, 1))
    first = rare * 2 * 2.2 / (2 + long) + least * 2.2 / (1 + long)
    assert scored.cards.tolist() == [0, 1]
    assert scored.scores.tolist() == approx([first, least * 2.2 / (1 + short)], rel=CLOSE)


def test_bm25_equals_the_formula(world):
    for query in world.queries:
        agree(world, query)


def test_bm25_ranks_by_falling_score_then_id(world):
    places = world.index.tie_order("paper")
    for query in world.queries:
        scored, expected = world.bm25.score(query), world.plain.bm25(query)
        found = best(scored, places, 10)
        pool = [expected[world.index.id_of(card)] for card in scored.cards[found]]
        assert pool == approx(sorted(expected.values(), reverse=True)[:10], rel=CLOSE)
        rows = zip((-scored.scores).tolist(), places[scored.cards].tolist(), strict=True)
        assert places[scored.cards[found]].tolist() == [place for _, place in sorted(rows)[:10]]


@settings(max_examples=50)
@given(st.lists(texts, min_size=1, max_size=6), texts)
def test_any_query_on_any_registry(world_of, card_texts, query):
    agree(world_of(cards_of(card_texts)), query)


@mark.parametrize("query", ["", " ", "the of a", "x 7 _", "nosuchword", "AND OR NOT", '"', "*"])
def test_queries_without_candidates(generated_world, query):
    scored = generated_world.bm25.score(query)
    assert [len(column) for column in scored] == [0, 0, 0]


@fixture(scope="module")
def syntax_world(world_of) -> World:
    """Cards that hold FTS5's keywords and the table's own names as words."""
    words = "near text cards rank rowid bm25 match like select"
    return world_of(cards_of([words, "near the cat", "cat, dog", "text of cards", "nothing else"]))


@mark.parametrize(
    "query",
    [
        "AND OR NOT NEAR",
        "NEAR(cat dog, 5)",
        'text:cat OR "dog" AND NOT cards',
        "{text cards}: ^cat + dog*",
        "rank rowid bm25(cards) MATCH",
        "'; DROP TABLE cards; --",
        "cat\0dog",
        "-cat (dog",
    ],
)
def test_fts5_syntax_is_text(syntax_world, query):
    assert syntax_world.plain.bm25(query)  # there is something to get wrong
    agree(syntax_world, query)


def test_a_repeated_term_counts_once(syntax_world):
    once, often = (syntax_world.bm25.score(query) for query in ("cat dog", "cat dog cat CAT"))
    assert once.scores.tolist() == often.scores.tolist()


def test_a_query_of_5000_terms(world):
    agree(world, " ".join(f"term{number} ab{number} file map city" for number in range(2500)))


def test_the_first_1000_letters_of_a_term_count(world_of):
    stem = "x" * 1000
    world = world_of(cards_of([f"{stem}a", f"{stem}b", "short"]))
    agree(world, f"{stem}b")
    assert world.bm25.score(f"{stem}b").cards.tolist() == [1]


# --- files ----------------------------------------------------------------------------------------


@mark.parametrize(
    "name", ["fts?.db", "fts#1", "50%.db", "a%20b", "a b", "q?mode=rw&x", "\u00fc.db"]
)
def test_a_path_with_what_a_uri_would_read(tmp_path, name):
    path = tmp_path / name / name
    build_fts(card_batches(cards_of(["red fox", "red", "blue"])), path)
    assert [found.name for found in path.parent.iterdir()] == [name]
    assert Bm25(path).score("fox").cards.tolist() == [0]


def test_two_builds_are_byte_identical(tmp_path):
    for name in ("one", "two"):
        build_fts(card_batches(random_cards(50, seed=3)), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_the_batches_make_no_difference(tmp_path):
    cards = random_cards(20, seed=4)
    build_fts(card_batches(cards), tmp_path / "whole")
    build_fts(card_batches(cards, 3), tmp_path / "parts")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "parts").read_bytes()


def test_searching_leaves_the_file_as_it_is(tmp_path):
    path = tmp_path / "fts"
    build_fts(card_batches(cards_of(["red fox"])), path)
    before = path.read_bytes()
    path.chmod(0o444)
    assert Bm25(path).score("fox").cards.tolist() == [0]
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["fts"]


def test_a_file_that_is_not_there(tmp_path):
    with raises(InputError, match="no FTS5 index"):
        Bm25(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []


def test_a_source_that_breaks_off_leaves_nothing(tmp_path):
    def broken_off():
        yield from card_batches(random_cards(5, seed=1))
        raise RuntimeError("the source broke off")

    with raises(RuntimeError, match="broke off"):
        build_fts(broken_off(), tmp_path / "fts")
    assert list(tmp_path.iterdir()) == []
