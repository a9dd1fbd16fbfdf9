"""SSR and BM25 on part of an index equal those on an index of that part alone."""

import random

import numpy as np
import pytest
from generated import cards_of, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_discovery.cards import card_batches
from agent_discovery.retrieval.lexical import Bm25, build_fts
from agent_discovery.retrieval.ranking import best
from agent_discovery.retrieval.structural import Ssr
from agent_discovery.retrieval.within import Bm25Within, SsrWithin

K = 10


def ranked(index, scored):
    positions = best(scored, index.tie_order("paper"), K)
    return [
        (index.id_of(scored.cards[p]), scored.scores[p], int(scored.matched[p])) for p in positions
    ]


@pytest.mark.parametrize("size", [1, 10, 150, 300])
def test_ssr_equals_an_index_of_the_members_alone(generated_world, build, size):
    index = generated_world.index
    chosen = random.Random(size).sample(range(index.cards), size)
    members = np.array(sorted(chosen))
    alone = build([generated_world.cards[number] for number in members])
    within = SsrWithin(index)
    for query in generated_world.queries:
        expected = ranked(alone, Ssr(alone).score(query))
        assert ranked(index, within.score(members, query)) == expected


def fts5_alone(cards, path) -> Bm25:
    path.unlink(missing_ok=True)
    build_fts(card_batches(cards), path)
    return Bm25(path)


@pytest.mark.parametrize("size", [1, 2, 10, 150, 300])
def test_bm25_equals_fts5_on_the_members_alone_to_the_last_bit(world, tmp_path, size):
    index = world.index
    within = Bm25Within(index)
    for seed in range(3):
        members = np.array(sorted(random.Random(seed).sample(range(index.cards), size)))
        alone = fts5_alone([world.cards[number] for number in members], tmp_path / "fts")
        for query in world.queries[:100]:
            expected, found = alone.score(query), within.score(members, query)
            assert found.cards.tolist() == members[expected.cards].tolist()
            assert found.scores.tolist() == expected.scores.tolist()
            assert not found.matched.any()


@settings(max_examples=50)
@given(st.lists(texts, min_size=1, max_size=6), texts, st.randoms(use_true_random=False))
def test_bm25_equals_fts5_on_any_text(build, tmp_path_factory, card_texts, query, rng):
    index = build(cards_of(card_texts))
    members = np.array(sorted(rng.sample(range(len(card_texts)), rng.randint(1, len(card_texts)))))
    alone = fts5_alone(
        cards_of([card_texts[number] for number in members]), tmp_path_factory.mktemp("fts") / "f"
    )
    expected, found = alone.score(query), Bm25Within(index).score(members, query)
    assert found.cards.tolist() == members[expected.cards].tolist()
    assert found.scores.tolist() == expected.scores.tolist()


@pytest.mark.parametrize("retriever", [SsrWithin, Bm25Within])
def test_no_member_matches(generated_world, retriever):
    index = generated_world.index
    assert len(retriever(index).score(np.array([0]), "zzzz").cards) == 0
