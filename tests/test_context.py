"""Where the full catalog fails, against prompts that are really built and counted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_discovery.arbitration.prompt import Candidate, messages_for
from agent_discovery.arbitration.tokens import chat_tokens
from agent_discovery.corpora import load_corpus
from agent_discovery.evaluation.context import (
    card_tokens,
    failure_points,
    index_tokens,
    prompt_tokens,
    tokens_by_size,
)

cards = st.lists(st.builds(Candidate, st.just("id"), st.text(), st.text()), min_size=1, max_size=12)


def counted(query: str, candidates: list[Candidate], form: str = "plain") -> np.ndarray:
    tokens = np.array([card_tokens(candidate, form) for candidate in candidates])
    indexes = np.array([index_tokens(place + 1) for place in range(len(candidates))])
    return prompt_tokens(query, tokens, indexes, form)


@settings(max_examples=50)
@given(st.text(), cards, st.randoms(use_true_random=False), st.sampled_from(["plain", "hardened"]))
def test_tokens_are_those_of_the_prompt_at_every_size_in_any_order(query, candidates, rng, form):
    found = counted(query, candidates, form)
    for n in range(1, len(candidates) + 1):
        shown = candidates[:n]
        rng.shuffle(shown)
        assert found[n - 1] == chat_tokens(messages_for(query, shown, form))


def test_the_failure_point_is_where_a_real_prompt_passes_the_window():
    corpus = load_corpus("livemcpbench")
    candidates = [Candidate(card.id, card.name, card.description) for card in corpus.cards]
    found = counted("find a map", candidates)
    [row] = failure_points([found], [8_192], 64).to_dict("records")
    n = row["fails_at_n_median"]
    assert row["fails_at_n_smallest"] == row["fails_at_n_largest"] == n == int(n)
    at, before = (chat_tokens(messages_for("find a map", candidates[: int(n) - d])) for d in (0, 1))
    assert before + 64 <= 8_192 < at + 64


def test_failure_points_by_hand():
    prompts = [np.array([100, 200, 300]), np.array([100, 250, 400]), np.array([50, 60, 70])]
    table = failure_points(prompts, [1000, 300, 200], 0).set_index("context_window")
    # 200: the first passes it at 3 (300), the second at 2 (250), the third nowhere.
    assert table.loc[200].tolist() == [3, 3, 2, 2, 2, 3]
    # 300: a prompt of just the window fits; the second passes it at 3.
    assert table.loc[300].tolist() == [3, 3, 1, 3, 3, 3]
    assert table.loc[1000, "queries_failing"] == 0
    assert table.loc[1000, "fails_at_n_smallest":].isna().all()
    with_answer = failure_points(prompts, [300], 1).set_index("context_window")
    assert with_answer.loc[300, "queries_failing"] == 2  # 300 and an answer of 1 do not fit


def test_tokens_by_size_by_hand():
    prompts = [np.array([100, 200, 300]), np.array([50, 250, 400])]
    table = tokens_by_size(prompts, [1, 3])
    assert table.to_numpy().tolist() == [[1, 75, 50, 100], [3, 350, 300, 400]]


@pytest.mark.parametrize("index", [1, 9, 10, 999, 1000, 5000, 99_999])
def test_a_card_counts_the_same_at_any_index(index):
    card = Candidate("id", "7 maps", "1, 2, 3")
    shown = [card] * index
    found = counted("q", shown)
    assert found[-1] == chat_tokens(messages_for("q", shown))
