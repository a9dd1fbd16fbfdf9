"""SSR-AgentBench: published counts, one target for each query, twins told apart, determinism."""

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest
from corpus_files import refusal

from agent_discovery.config import Rq1
from agent_discovery.corpora import load_corpus
from agent_discovery.corpora.agentbench import AGENTBENCH, GENERATED, PARAPHRASED, generated_files
from agent_discovery.corpora.agentbench.english import gerund, third_person, with_article
from agent_discovery.corpora.agentbench.generator import SEED, generate_agents
from agent_discovery.corpora.agentbench.material import ATTRIBUTES, load_material
from agent_discovery.corpora.agentbench.profiles import meets
from agent_discovery.corpora.agentbench.queries import (
    NotUnique,
    generate_queries,
    prove_twins_told_apart,
    prove_unique,
)
from agent_discovery.corpora.agentbench.stats import table_one
from agent_discovery.corpora.corpus import write_corpus
from agent_discovery.corpora.registries import query_registries

BENCH = generate_agents()
QUERIES = generate_queries()
BY_ID = {agent.id: agent for agent in BENCH.agents}
TARGETS = {query.target for query in QUERIES}
IDS = list(BY_ID)
SIZES = Rq1().sizes

OASF_DOMAINS = """
agriculture education energy environmental_science finance_and_business government_and_public_sector
healthcare hospitality_and_tourism human_resources industrial_manufacturing insurance legal
life_sciences marketing_and_advertising media_and_entertainment real_estate
research_and_development retail_and_e_commerce social_services sports_and_fitness technology
telecommunications transportation trust_and_safety
""".split()

# What seed 2026 gives. A change of it changes every figure of RQ1.
CHECKSUMS = {
    "agents": "fb82fd1743f77c4aaf3656eb07d9c753a4aebb74c072a6dd9973fc54bb607f6b",
    "queries": "7a9c7d419a89ac9c8b9a5d1de4fdc81bcb28263823f29de13419c012915d7715",
}


def test_table_one():
    assert table_one(BENCH, QUERIES) == {
        "agent_cards": 1000,
        "base_cards": 850,
        "capability_twins": 150,
        "queries": 250,
        "paraphrased_queries": 250,
        "domains": 24,
        "skills": 144,
    }


def test_domains_are_those_of_oasf_with_six_skills_each():
    domains = load_material().domains
    assert [domain.id for domain in domains] == OASF_DOMAINS
    assert {len(domain.skills) for domain in domains} == {6}
    skills = load_material().skills
    assert len({skill.id for skill in skills}) == len({skill.name for skill in skills}) == 144


def test_every_phrase_is_of_a_value_that_is_there():
    material = load_material()
    for skill in material.skills:
        assert set(skill.inputs) <= set(material.attributes["input"].values)
        assert set(skill.outputs) <= set(material.attributes["output"].values)
        assert len(skill.needs) == len(skill.paraphrases) == 2
    for name in ATTRIBUTES:
        for code, value in material.attributes[name].values.items():
            asked = bool(value.ask), bool(value.other)
            assert asked == ((code != "best_effort"),) * 2, (name, code)


def test_cards_differ_in_profile_name_and_description():
    assert [f"agent-{number:04d}" for number in range(1, 1001)] == IDS
    for part in ("profile", "name", "description"):
        values = [agent.profile if part == "profile" else agent.a2a[part] for agent in BENCH.agents]
        assert len(set(values)) == 1000


def test_ids_do_not_tell_twins_from_bases():
    first_half = sum(agent.twin_of is not None for agent in BENCH.agents[:500])
    assert 50 < first_half < 100
    gaps = [abs(IDS.index(base.id) - IDS.index(twin.id)) for base, twin in BENCH.twin_pairs()]
    assert 200 < sum(gaps) / len(gaps) < 450


def test_a_twin_keeps_domain_and_skill_and_changes_attributes():
    for base, twin in BENCH.twin_pairs():
        assert (base.profile.domain, base.profile.skill) == (
            twin.profile.domain,
            twin.profile.skill,
        )
        assert 1 <= len(base.profile.differing(twin.profile)) <= 2
        assert base.twin_of is None


def test_each_target_alone_has_what_its_query_asks_for():
    for query in QUERIES:
        held = [
            agent.id
            for agent in BENCH.agents
            if agent.profile.skill == query.skill
            and all(getattr(agent.profile, name) == value for name, value in query.asked.items())
        ]
        assert held == [query.target]


def test_no_faster_or_more_reliable_agent_satisfies_a_query_as_well():
    for query in QUERIES:
        fit = [
            a.id for a in BENCH.agents if meets(BENCH.material, a.profile, query.skill, query.asked)
        ]
        assert fit == [query.target]


def test_a_query_that_two_cards_satisfy_is_refused():
    asked = {"region": QUERIES[0].asked.get("region", "eu")}
    shared = next(
        agent.profile.skill
        for agent in BENCH.agents
        if sum(meets(BENCH.material, a.profile, agent.profile.skill, asked) for a in BENCH.agents)
        > 1
    )
    loose = replace(QUERIES[0], skill=shared, asked=asked)
    with pytest.raises(NotUnique, match=QUERIES[0].qid):
        prove_unique(BENCH, [*QUERIES[1:], loose])


def test_a_query_that_does_not_tell_twins_apart_is_refused():
    base, twin = BENCH.twin_pairs()[0]
    same = [name for name in ATTRIBUTES if name not in base.profile.differing(twin.profile)]
    blind = replace(
        QUERIES[0],
        target=twin.id,
        skill=twin.profile.skill,
        asked={name: getattr(twin.profile, name) for name in same},
    )
    with pytest.raises(NotUnique, match=twin.id):
        prove_twins_told_apart(BENCH, [blind])


def test_every_query_on_a_twin_pair_names_what_the_pair_differs_in():
    asked = {query.target: set(query.asked) for query in QUERIES}
    concerned = [
        (base, twin, card)
        for base, twin in BENCH.twin_pairs()
        for card in (base.id, twin.id)
        if card in TARGETS
    ]
    assert len(concerned) == 100
    assert {card in (twin.id) for _, twin, card in concerned} == {True, False}
    for base, twin, card in concerned:
        assert asked[card] & base.profile.differing(twin.profile)


def test_no_skill_is_asked_for_twice_in_the_same_words():
    assert max(Counter(query.skill for query in QUERIES).values()) == 2
    assert len({query.text for query in QUERIES}) == 250
    assert len(TARGETS) == 250


def registries_of(query, sizes=SIZES, seed=SEED) -> dict[int, list[str]]:
    targets = {query.qid: [query.target]}
    asked = [(query.qid, query.text)]
    made = query_registries(asked, targets, sorted(IDS), sizes, seed, "rq1")
    return {registry.n: registry.ids for registry in made}


@pytest.mark.parametrize("query", QUERIES[::25], ids=lambda query: query.qid)
def test_registries_are_nested_and_hold_the_target(query):
    registries = registries_of(query)
    assert [len(registries[size]) for size in SIZES] == list(SIZES)
    members = [set(registries[size]) for size in SIZES]
    assert all(len(found) == size for found, size in zip(members, SIZES, strict=True))
    assert members[0] < members[1] < members[2] < members[3] == set(IDS)
    assert query.target in members[0]


def test_registries_of_queries_and_seeds_differ_and_hide_the_target():
    first, second = (registries_of(query, [10])[10] for query in QUERIES[:2])
    other = registries_of(QUERIES[0], [10], seed=1)[10]
    assert len(set(first) & set(second)) < 5 and set(first) != set(other)
    places = Counter(registries_of(query, [10])[10].index(query.target) for query in QUERIES)
    assert set(places) == set(range(10))


@pytest.mark.parametrize("spec", GENERATED)
def test_the_corpora_load_and_can_be_written(spec, tmp_path):
    corpus = load_corpus(spec, "agent")
    write_corpus(corpus, tmp_path)
    written = json.loads((tmp_path / "corpus.json").read_text())
    assert written["counts"] == {
        "cards": 1000,
        "queries": 250,
        "judged_queries": 250,
        "judgments": 250,
    }
    assert written["real"] and "2026" in written["notes"][0]


def test_both_wordings_have_the_same_cards_and_judgments():
    plain, paraphrased = (load_corpus(spec) for spec in (AGENTBENCH, PARAPHRASED))
    assert (plain.cards, plain.qrels) == (paraphrased.cards, paraphrased.qrels)
    assert not {q.text for q in plain.queries} & {q.text for q in paraphrased.queries}


def test_cards_cannot_be_split_into_tools():
    assert "card_level" in refusal(load_corpus, AGENTBENCH, "tool")


def test_the_material_ships_with_the_package():
    assert len(generated_files()) == 27
    assert all(os.path.isfile(file) for file in generated_files())


def test_seed_2026_gives_the_cards_and_queries_that_are_pinned():
    assert load_corpus(AGENTBENCH).checksums == CHECKSUMS


@pytest.mark.parametrize("hash_seed", ["0", "12345"])
def test_the_hash_seed_of_python_has_no_part_in_it(hash_seed):
    code = (
        "from agent_discovery.corpora import load_corpus as load\n"
        "print(load('agentbench').checksums, load('agentbench-paraphrased').checksums)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    here = [load_corpus(spec).checksums for spec in (AGENTBENCH, PARAPHRASED)]
    assert printed.strip() == " ".join(map(str, here))


def test_another_seed_gives_another_benchmark_that_holds_as_well():
    other = generate_agents(7)
    assert len(generate_queries(7)) == 250  # proves itself, or raises
    assert not {a.a2a["description"] for a in other.agents} & {
        a.a2a["description"] for a in BENCH.agents
    }


@pytest.mark.parametrize(
    ("bare", "third", "noun"),
    [
        ("match invoices", "matches invoices", "matching invoices"),
        ("classify posts", "classifies posts", "classifying posts"),
        ("play", "plays", "playing"),
        ("plan trips", "plans trips", "planning trips"),
        ("write ad copy", "writes ad copy", "writing ad copy"),
        ("be free", "is free", "being free"),
        ("have access", "has access", "having access"),
        ("draw on credits", "draws on credits", "drawing on credits"),
        ("screen abstracts", "screens abstracts", "screening abstracts"),
        ("interpret results", "interprets results", "interpreting results"),
    ],
)
def test_verbs(bare, third, noun):
    assert (third_person(bare), gerund(bare)) == (third, noun)


@pytest.mark.parametrize(
    "phrase",
    ["an agent", "a US-hosted bot", "an EU-hosted bot", "an overnight bot", "a UK-hosted bot"],
)
def test_articles(phrase):
    assert with_article(phrase.partition(" ")[2]) == phrase
