"""The searches for the first K cards equal the rank rule on all scores, by every method."""

import numpy as np
from generated import cards_of, random_cards, random_texts, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import fixture, mark
from world import World

from agent_discovery.retrieval.methods import (
    FORMS_COLUMNS,
    batch_searcher,
    counting,
    search_forms,
    searcher,
)
from agent_discovery.retrieval.pruned import SsrPruned
from agent_discovery.retrieval.ranking import Top, best_of
from agent_discovery.retrieval.structural import FullScan, Overlap, Ssr

METHODS = [Ssr, Overlap, FullScan]


def rows(top: Top) -> list[tuple]:
    columns = (top.cards, top.scores, top.matched)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def agree(index, queries, k) -> None:
    for tie_break in ("paper", "authors"):
        order = index.tie_order(tie_break)
        for method in METHODS:
            retriever = method(index)
            expected = [best_of(retriever.score(query), order, k) for query in queries]
            tops = [retriever.top(query, k, order) for query in queries]
            assert list(map(rows, tops)) == list(map(rows, expected))
            if method is not FullScan:  # every card is scored there, candidate or not
                assert [top.scored for top in tops] == [top.scored for top in expected]
        scans = FullScan(index).top_many(queries, k, order)
        ssr = [Ssr(index).top(query, k, order) for query in queries]
        assert list(map(rows, scans)) == list(map(rows, ssr))
        assert all(top.scored == index.cards for top in scans)
        lists = map(index.signal_lists, queries)
        assert [top.visited for top in ssr] == [(one.ends - one.starts).sum() for one in lists]
        assert {top.visited for top in scans} <= {len(index.arrays["card_signals"])}


@mark.parametrize("k", [1, 10, 100_000])
def test_first_cards_equal_the_rank_rule(generated_world, k):
    agree(generated_world.index, generated_world.queries[:100], k)


def test_first_cards_on_toolpool(toolpool_world):
    agree(toolpool_world.index, toolpool_world.queries[:30], 10)


@settings(max_examples=25)
@given(st.lists(texts, max_size=6), st.lists(texts, max_size=4), st.integers(1, 8))
def test_any_queries_on_any_registry(build, card_texts, queries, k):
    agree(build(cards_of(card_texts)), queries, k)


@fixture(scope="module")
def wide_world(world_of) -> World:
    """Queries of 1 to 64 signals, so that masks of every width are used."""
    queries = [" ".join(f"w{n} ab{n}" for n in range(size)) for size in range(1, 17)]
    return world_of(random_cards(1500, 9), [*queries, *random_texts(20, 3, longest=100)])


def test_masks_of_every_width(wide_world):
    index = wide_world.index
    widths = {len(index.signal_lists(query).keys) for query in wide_world.queries}
    assert min(widths) <= 8 and {16, 32} & widths and max(widths) == 64
    agree(index, wide_world.queries, 10)
    for query in wide_world.queries:
        scored, plain = Ssr(index).score(query), wide_world.plain.ssr(query)
        ids = [index.id_of(card) for card in scored.cards]
        found = zip(ids, scored.scores.tolist(), scored.matched.tolist(), strict=True)
        assert {card: (score, matched) for card, score, matched in found} == plain


def test_more_cards_than_one_window(build):
    """A window is 65,536 cards; here the second of three has no candidate."""
    empty = range(1 << 16, 1 << 17)
    index = build(cards_of("pad" if n in empty else f"ab{n % 3} cd{n % 7}" for n in range(140_000)))
    agree(index, ["ab1 cd2", "cd3"], 10)


def test_a_batch_of_nothing(generated_world):
    index = generated_world.index
    order = index.tie_order("paper")
    assert FullScan(index).top_many([], 10, order) == []
    (top,) = FullScan(index).top_many(["the of"], 10, order)
    assert (len(top.cards), top.scored) == (0, index.cards)
    assert rows(Ssr(index).top("the of", 10, order)) == []
    assert np.array_equal(Ssr(index).top("", 10, order).cards, [])


def test_searchers_return_ids_and_count_what_they_score(generated_world):
    index, queries = generated_world.index, generated_world.queries[:20]
    plain = [generated_world.plain.ssr(query) for query in queries]
    ids = [generated_world.plain.ranked(hits, "paper", 10) for hits in plain]
    counts: dict[str, int] = {}
    ssr = counting(searcher(Ssr(index), index, 10, "paper"), counts)
    assert [ssr(query).ids for query in queries] == ids
    assert list(counts.values()) == [len(hits) for hits in plain]
    for batched in (SsrPruned, FullScan):
        search = batch_searcher(batched(index), index, 10, "paper")
        assert [found.ids for found in search(queries)] == ids
    assert {found.scored for found in search(queries)} == {index.cards}


def test_search_forms(generated_world):
    index, queries = generated_world.index, generated_world.queries[:50]
    rows = search_forms(index, queries, 10, "authors")
    pruned, scan = (dict(zip(FORMS_COLUMNS, row, strict=True)) for row in rows)
    assert (pruned["identical"], scan["identical"]) == (50, 50)
    assert pruned["mean_scored"] < 300 == scan["mean_scored"]
    assert 0 < pruned["baseline_mean_scored"] < 300
