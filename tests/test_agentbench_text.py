"""The words of SSR-AgentBench: plausible cards, queries that are no copies, calibrated length."""

import random
import re
from collections import Counter, defaultdict
from itertools import combinations, pairwise
from statistics import mean, pstdev

import numpy as np
import pytest

from agent_discovery.arbitration.prompt import Candidate, candidate_line, messages_for
from agent_discovery.arbitration.tokens import chat_tokens, count
from agent_discovery.config import Rq1
from agent_discovery.corpora.agentbench.english import third_person
from agent_discovery.corpora.agentbench.generator import SEED, generate_agents
from agent_discovery.corpora.agentbench.material import ATTRIBUTES
from agent_discovery.corpora.agentbench.queries import generate_queries
from agent_discovery.corpora.agentbench.stats import mean_overlap
from agent_discovery.corpora.registries import query_registries
from agent_discovery.retrieval.ranking import best, tie_span
from agent_discovery.retrieval.within import SsrWithin
from agent_discovery.signals import MAX_SIGNALS, tokens

K = 10
SIZES = Rq1().sizes
BENCH = generate_agents()
QUERIES = generate_queries()
BY_ID = {agent.id: agent for agent in BENCH.agents}
IDS = list(BY_ID)
TEXTS = {
    **{agent.id: agent.a2a["description"] for agent in BENCH.agents},
    **{query.qid: query.text for query in QUERIES},
    **{f"{query.qid} paraphrased": query.paraphrased for query in QUERIES},
}


def grams(text: str, n: int) -> set[tuple[str, ...]]:
    words = re.findall(r"[\w'.%-]+", text.lower())
    return set(zip(*(words[start:] for start in range(n)), strict=False))


def test_texts_are_whole_sentences_without_slips():
    for name, text in TEXTS.items():
        assert re.fullmatch(r"[A-Z0-9].*[.?]", text), name
        assert not re.search(r"[{}]|  | [,.;:?]|\.\.|,,|[.?] [a-z]", text), (name, text)
        doubled = re.search(r"\b(\w+) \1\b", text, re.IGNORECASE)
        assert not doubled, (name, text)
        wrong = re.search(r"\b(?:a (?!one)[aeio]|an (?!hour|HR|X-)[^aeiouAEIO])", text)
        assert not wrong, (name, text)


def test_a_description_tells_every_attribute():
    for agent in BENCH.agents:
        text = agent.a2a["description"].lower()
        for name in ATTRIBUTES:
            value = BENCH.material.attributes[name].values[getattr(agent.profile, name)]
            told = [*value.noun, *value.verb, *map(third_person, value.verb), value.head or "?"]
            assert any(phrase.lower() in text for phrase in told), (agent.id, name, text)


def test_a_description_tells_the_specialty():
    does = {skill.id: skill.does for skill in BENCH.material.skills}
    for agent in BENCH.agents:
        rests = [phrase.partition(" ")[2] for phrase in does[agent.profile.skill]]
        assert any(rest in agent.a2a["description"] for rest in rests)


def test_every_word_of_a_card_is_a_signal():
    assert max(len(set(tokens(agent.card.text))) for agent in BENCH.agents) <= MAX_SIGNALS


def test_no_two_descriptions_come_from_one_template():
    holders = defaultdict(list)
    found = {agent.id: grams(agent.a2a["description"], 5) for agent in BENCH.agents}
    for card_id, held in found.items():
        for gram in held:
            holders[gram].append(card_id)
    shared = Counter(pair for ids in holders.values() for pair in combinations(ids, 2))
    share = {pair: n / min(len(found[c]) for c in pair) for pair, n in shared.items()}
    assert sum(share.values()) / (1000 * 999 / 2) < 0.002
    assert max(share.values()) < 0.6
    nearest = dict.fromkeys(found, 0.0)
    for pair, value in share.items():
        for card_id in pair:
            nearest[card_id] = max(nearest[card_id], value)
    assert mean(nearest.values()) < 0.2


def test_fifty_cards_do_not_begin_alike():
    for seed in range(5):
        fifty = random.Random(seed).sample(BENCH.agents, 50)
        firsts = Counter(agent.a2a["description"].split()[0] for agent in fifty)
        assert firsts.most_common(1)[0][1] <= 10


def test_a_plain_query_is_no_copy_of_its_card():
    found = mean_overlap(BENCH, QUERIES, paraphrased=False)
    assert 0.4 < found.words < 0.5
    assert found.jaccard < 0.2
    assert found.bigrams < 0.2
    for query in QUERIES:
        assert not grams(query.text, 7) & grams(BY_ID[query.target].card.text, 7)


def test_a_paraphrase_shares_no_bigram_and_at_most_a_third_of_its_words():
    for query in QUERIES:
        asked, held = tokens(query.paraphrased), tokens(BY_ID[query.target].card.text)
        assert len(set(asked) & set(held)) <= len(set(asked)) / 3
        assert not set(pairwise(asked)) & set(pairwise(held))
    assert mean_overlap(BENCH, QUERIES, paraphrased=True).words < 0.1


@pytest.fixture(scope="module")
def index(build):
    return build([agent.card for agent in BENCH.agents])


@pytest.fixture(scope="module")
def pools(index):
    """{size: [(query, registry, pool, worst place of the target)]} of SSR on plain queries."""
    number = {index.id_of(place): place for place in range(index.cards)}
    asked = {query.qid: query for query in QUERIES}
    targets = {query.qid: [query.target] for query in QUERIES}
    texts = [(query.qid, query.text) for query in QUERIES]
    found = {size: [] for size in SIZES}
    for one in query_registries(texts, targets, sorted(IDS), SIZES, SEED, "rq1"):
        members = np.array(sorted(number[card_id] for card_id in one.ids))
        scored = SsrWithin(index).score(members, one.query)
        order = best(scored, index.tie_order("paper"), K)
        pool = [index.id_of(card) for card in scored.cards[order]]
        query = asked[one.qid]
        worst = sum(tie_span(scored, number[query.target]))
        found[one.n].append((query, one.ids, pool, worst))
    return found


@pytest.mark.parametrize("size", SIZES)
def test_ssr_finds_every_target_of_the_plain_queries(pools, size):
    assert [query.qid for query, _, pool, _ in pools[size] if query.target not in pool] == []
    assert max(worst for *_, worst in pools[size]) <= K  # in any order of ties


@pytest.mark.parametrize("size", SIZES[1:])
def test_pools_are_full(pools, size):
    assert {len(pool) for _, _, pool, _ in pools[size]} == {K}


def test_length_of_a_candidate_line():
    lengths = [
        count(candidate_line(index, agent.card.name, agent.card.description))
        for index, agent in enumerate(BENCH.agents, start=1)
    ]
    assert mean(lengths) == pytest.approx(63.5, abs=0.5)
    assert 2 < pstdev(lengths) < 5  # lengths vary: nothing is cut or padded to fit


@pytest.mark.parametrize(("size", "published"), [(100, 6_445), (500, 31_958), (1000, 63_645)])
def test_full_catalog_prompts_have_the_published_length(pools, size, published):
    few = pools[size][:: max(1, size // 50)]
    assert mean(prompt_tokens(query, ids) for query, ids, *_ in few) == pytest.approx(
        published, rel=0.02
    )


@pytest.mark.parametrize("size", SIZES[1:])
def test_ssr_prompts_have_the_published_length(pools, size):
    found = mean(prompt_tokens(query, pool) for query, _, pool, _ in pools[size])
    assert found == pytest.approx(767, rel=0.03)


def prompt_tokens(query, ids) -> int:
    cards = [BY_ID[card_id].card for card_id in ids]
    candidates = [Candidate(card.id, card.name, card.description) for card in cards]
    return chat_tokens(messages_for(query.text, candidates))
