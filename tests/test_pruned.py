"""The pruned search returns what the exhaustive form and the reference return, ties and all."""

import random
from concurrent.futures import ThreadPoolExecutor

import reference
from generated import card_of, cards_of, random_cards, random_texts, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import fixture, mark
from world import World

from agent_discovery.retrieval.pruned import SsrPruned
from agent_discovery.retrieval.ranking import Top, best_of
from agent_discovery.retrieval.structural import Ssr

DEPTHS = [1, 2, 10, 100, 100_000]
TIE_BREAKS = ["paper", "authors"]


def rows(top: Top) -> list[tuple]:
    columns = (top.cards, top.scores, top.matched)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def agree(index, queries, k) -> None:
    """Cards, order, scores to the last bit and matched counts; no more cards than postings."""
    ssr, pruned = Ssr(index), SsrPruned(index)
    for tie_break in TIE_BREAKS:
        order = index.tie_order(tie_break)
        for query, top in zip(queries, pruned.top_many(queries, k, order), strict=True):
            lists = index.signal_lists(query)
            assert rows(top) == rows(best_of(ssr.score(query), order, k))
            assert top.scored <= (lists.ends - lists.starts).sum()


@mark.parametrize("k", DEPTHS)
def test_pruned_equals_exhaustive(world, k):
    agree(world.index, world.queries, k)


def test_pruned_equals_the_reference(world):
    pruned = SsrPruned(world.index)
    for tie_break in TIE_BREAKS:
        order = world.index.tie_order(tie_break)
        for query in world.queries:
            hits = world.plain.ssr(query)
            ids = world.plain.ranked(hits, tie_break, 10)
            expected = [(card, hits[card].score, hits[card].matched) for card in ids]
            found = rows(pruned.top(query, 10, order))
            assert [(world.index.id_of(card), *rest) for card, *rest in found] == expected


few_words = st.lists(st.sampled_from("ab cd ef gh ij kl".split()), max_size=12).map(" ".join)


@settings(max_examples=50)
@given(st.lists(few_words | texts, min_size=1, max_size=40), few_words | texts, st.integers(1, 50))
def test_any_query_on_any_registry(build, card_texts, query, k):
    """Few words, so that many cards tie."""
    agree(build(cards_of(card_texts)), [query], k)


@settings(max_examples=25)
@given(st.randoms(use_true_random=False), st.integers(1, 30))
def test_ids_that_do_not_rise(build, rng, k):
    numbers = rng.sample(range(1000), 60)
    cards = [card_of(str(n), " ".join(rng.choices("ab cd ef gh".split(), k=4))) for n in numbers]
    agree(build(cards), ["ab cd", "ab", "gh ef cd ab"], k)


@mark.parametrize("k", [1, 10, 3000])
def test_a_query_of_one_signal(build, k):
    """All its cards tie: in a shuffled order of ids, and in a rising one."""
    shuffled = random.Random(5).sample(range(2000), 2000)
    for numbers in (shuffled, sorted(shuffled)):
        index = build([card_of(str(n), "ab" if n % 3 else "cd") for n in numbers])
        agree(index, ["ab", "cd", "cd zz", "zz"], k)


@fixture(scope="module")
def wide_world(world_of) -> World:
    """2,000 cards over 120 words, and queries of up to 64 signals."""
    queries = [*random_texts(60, 8, longest=120), " ".join(f"w{n}" for n in range(40))]
    return world_of(random_cards(2000, 7), queries)


@mark.parametrize("k", [1, 10, 500])
def test_queries_of_up_to_64_signals(wide_world, k):
    index = wide_world.index
    assert max(len(index.signal_lists(query).keys) for query in wide_world.queries) == 64
    agree(index, wide_world.queries, k)


def test_signals_of_equal_df(build):
    """Weights are equal, and what the lists to come add up to equals the K-th best."""
    words = [f"word{n:02d}" for n in range(64)]
    index = build(cards_of([*words, *words, " ".join(words)]))
    for k in (1, 2, 3, 64, 200):
        agree(index, [" ".join(words), "word00", "word07 word63"], k)


def test_wide_queries_over_more_cards_than_one_window(build):
    """Then what is left of the lists is gone through in windows of 65,536 cards, three here."""
    rng = random.Random(11)
    words = [f"word{n:02d}" for n in range(36)]
    weights = [1 / (place + 3) for place in range(len(words))]
    index = build(cards_of(" ".join(rng.choices(words, weights, k=7)) for _ in range(140_000)))
    queries = [" ".join(rng.sample(words, size)) for size in (3, 6, 9, 14, 20, 30, 33)]
    for k in (1, 10, 300):
        agree(index, queries, k)


def test_lists_that_cannot_matter_are_not_opened(build):
    """Ten cards hold the rare word too, and the thousand others cannot reach them."""
    index = build(cards_of(["common rare"] * 10 + ["common"] * 1000))
    top = SsrPruned(index).top("common rare", 10, index.tie_order("paper"))
    assert top.cards.tolist() == list(range(10))
    assert top.scored == 10
    # Its list of ten, and their look-ups in the two other lists, `common_rare` and `common`.
    assert top.visited == 30
    assert Ssr(index).top("common rare", 10, index.tie_order("paper")).visited == 1030


def test_a_batch_equals_its_queries_one_by_one(world):
    pruned, order = SsrPruned(world.index), world.index.tie_order("paper")
    batch = pruned.top_many(world.queries, 10, order)
    assert [rows(top) for top in batch] == [
        rows(pruned.top(query, 10, order)) for query in world.queries
    ]
    assert pruned.top_many([], 10, order) == []


def test_threads_share_one_index(world):
    pruned, order = SsrPruned(world.index), world.index.tie_order("paper")
    alone = [rows(pruned.top(query, 10, order)) for query in world.queries]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            tops = pool.map(lambda query: pruned.top(query, 10, order), world.queries)
            assert [rows(top) for top in tops] == alone


@mark.parametrize("query", ["", "the of a", "nosuchword"])
def test_queries_without_candidates(generated_world, query):
    index = generated_world.index
    top = SsrPruned(index).top(query, 10, index.tie_order("paper"))
    assert (len(top.cards), top.scored) == (0, 0)


def test_reference_and_package_agree_on_the_order_of_added_weights(wide_world):
    """A sum is the same to the last bit only if it is made in the same order."""
    index, (query, *_) = wide_world.index, wide_world.queries
    for card, score, _ in rows(SsrPruned(index).top(query, 50, index.tie_order("paper"))):
        weights = wide_world.plain.explanation(query, index.id_of(card)).values()
        assert reference.added(weights) == score
