"""SSR on part of an index equals SSR on an index of that part alone."""

import random

import numpy as np
import pytest

from agent_discovery.retrieval.ranking import best
from agent_discovery.retrieval.structural import Ssr
from agent_discovery.retrieval.within import score_within

K = 10


def ranked(index, scored):
    positions = best(scored, index.tie_order("paper"), K)
    return [
        (index.id_of(scored.cards[p]), scored.scores[p], int(scored.matched[p])) for p in positions
    ]


@pytest.mark.parametrize("size", [1, 10, 150, 300])
def test_equals_an_index_of_the_members_alone(generated_world, build, size):
    index = generated_world.index
    chosen = random.Random(size).sample(range(index.cards), size)
    members = np.array(sorted(chosen))
    alone = build([generated_world.cards[number] for number in members])
    for query in generated_world.queries:
        expected = ranked(alone, Ssr(alone).score(query))
        assert ranked(index, score_within(index, members, query)) == expected


def test_no_member_matches(generated_world):
    index = generated_world.index
    assert len(score_within(index, np.array([0]), "zzzz").cards) == 0
