"""250 discovery queries, each with one target that alone satisfies it, in two wordings."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from agent_discovery.corpora.agentbench.asking import ask, paraphrase
from agent_discovery.corpora.agentbench.generator import SEED, Agents, BenchAgent, generate_agents
from agent_discovery.corpora.agentbench.material import ATTRIBUTES
from agent_discovery.corpora.agentbench.profiles import meets

QUERIES = 250
TWIN_QUERIES = 100  # queries whose target is a twin or has one
SHARES = (2, 3, 3, 3, 4, 4)  # how many attributes a query names
TRIES = 40


class NotUnique(ValueError):
    """A query that more than one card, or not its target, satisfies."""


@dataclass(frozen=True)
class BenchQuery:
    """A query: its target, what it asks for, and its two wordings."""

    qid: str
    target: str
    skill: str
    asked: Mapping[str, str]  # attribute -> value
    text: str
    paraphrased: str


@cache
def generate_queries(seed: int = SEED) -> tuple[BenchQuery, ...]:
    """Draw targets and what is asked of them, prove it unique, and put it in words."""
    bench = generate_agents(seed)
    rng = random.Random(f"{seed}:queries")
    chosen = list(_targets(bench, rng))
    rng.shuffle(chosen)
    used: Counter[str] = Counter()
    queries = []
    for number, (target, asked) in enumerate(chosen, start=1):
        qid, skill = f"q{number:03d}", target.profile.skill
        wording = random.Random(f"{seed}:{qid}:wording")
        texts = [write(bench, target, asked, used[skill], wording) for write in (ask, paraphrase)]
        queries.append(BenchQuery(qid, target.id, skill, asked, *texts))
        used[skill] += 1
    prove_unique(bench, queries)
    prove_twins_told_apart(bench, queries)
    return tuple(queries)


def matching(bench: Agents, skill: str, asked: Mapping[str, str]) -> list[str]:
    """The ids of all agents that satisfy a request."""
    return [a.id for a in bench.agents if meets(bench.material, a.profile, skill, asked)]


def prove_unique(bench: Agents, queries: list[BenchQuery]) -> None:
    """Raise NotUnique unless, of all agents, each query's target alone satisfies it.

    Stricter than equal attributes: a faster or more reliable agent satisfies a query as well.
    """
    for query in queries:
        found = matching(bench, query.skill, query.asked)
        if found != [query.target]:
            raise NotUnique(f"{query.qid}: {found} satisfy it, not {query.target} alone")


def prove_twins_told_apart(bench: Agents, queries: list[BenchQuery]) -> None:
    """Raise NotUnique unless every query names an attribute that tells its target from its twin."""
    targets = {query.target: query for query in queries}
    for base, twin in bench.twin_pairs():
        for query in (targets.get(base.id), targets.get(twin.id)):
            if query and not base.profile.differing(twin.profile) & set(query.asked):
                raise NotUnique(f"{query.qid} names nothing in which {base.id}, {twin.id} differ")


def _targets(bench: Agents, rng: random.Random) -> Iterator[tuple[BenchAgent, dict[str, str]]]:
    """Targets with what is asked: no skill more often than it has ways to ask for it."""
    pairs = {agent.id: pair for pair in bench.twin_pairs() for agent in pair}
    left = {skill.id: len(skill.needs) for skill in bench.material.skills}
    paired = [agent for agent in bench.agents if agent.id in pairs]
    single = [agent for agent in bench.agents if agent.id not in pairs]
    for agents, wanted in ((paired, TWIN_QUERIES), (single, QUERIES - TWIN_QUERIES)):
        taken: set[str] = set()
        for agent in rng.sample(agents, len(agents)):
            if not wanted:
                break
            if agent.id in taken or not left[agent.profile.skill]:
                continue
            if asked := _asked(bench, agent, rng):
                wanted -= 1
                left[agent.profile.skill] -= 1
                taken.update(twin.id for twin in pairs.get(agent.id, ()))
                yield agent, asked
        if wanted:
            raise NotUnique(f"too few targets: {wanted} queries are missing")


def _asked(bench: Agents, agent: BenchAgent, rng: random.Random) -> dict[str, str] | None:
    """Some attributes of an agent that no other agent of its skill satisfies, if they are found."""
    held = {name: getattr(agent.profile, name) for name in ATTRIBUTES}
    can_ask = [
        name
        for name in ATTRIBUTES
        if name in ("input", "output") or bench.material.attributes[name].values[held[name]].ask
    ]
    for _ in range(TRIES):
        names = rng.sample(can_ask, rng.choice(SHARES))
        asked = {name: held[name] for name in ATTRIBUTES if name in names}
        if matching(bench, agent.profile.skill, asked) == [agent.id]:
            return asked
    return None
