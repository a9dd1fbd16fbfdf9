"""SSR-AgentBench, made anew from a seed (SSR, section IV-A).

The authors' generator is not public: this one is made to the published statistics (Table I).
Text seeds hash alike in every process, so Python's hash seed has no part in it.
"""

import random
from dataclasses import dataclass
from functools import cache
from typing import Any

from agent_discovery.cards import Card
from agent_discovery.corpora.agentbench.describing import CardWriter
from agent_discovery.corpora.agentbench.material import Material, load_material
from agent_discovery.corpora.agentbench.profiles import Profile, draw_bases, draw_twins
from agent_discovery.corpora.agents import agent_card
from agent_discovery.corpora.manifests import read_entry

SEED = 2026
SOURCE = "agentbench"


@dataclass(frozen=True)
class BenchAgent:
    """An agent: its structured record, its A2A Agent Card, and the base card it is a twin of."""

    id: str
    profile: Profile
    a2a: dict[str, Any]
    card: Card
    twin_of: str | None


@dataclass(frozen=True)
class Agents:
    """All agents by rising id, and what they were made from."""

    seed: int
    material: Material
    agents: tuple[BenchAgent, ...]

    def twin_pairs(self) -> list[tuple[BenchAgent, BenchAgent]]:
        """(base, twin) of every twin."""
        by_id = {agent.id: agent for agent in self.agents}
        return [(by_id[agent.twin_of], agent) for agent in self.agents if agent.twin_of]


@cache
def generate_agents(seed: int = SEED) -> Agents:
    """Draw profiles, shuffle them so that ids tell nothing, and write each one's card."""
    material = load_material()
    rng = random.Random(f"{seed}:profiles")
    bases = draw_bases(material, rng)
    twins = draw_twins(material, bases, rng)
    profiles = bases + [twin for _, twin in twins]
    twin_of = {len(bases) + place: base for place, (base, _) in enumerate(twins)}
    order = rng.sample(range(len(profiles)), len(profiles))
    ids = {number: f"agent-{place:04d}" for place, number in enumerate(order, start=1)}
    writer = CardWriter(material, seed)
    agents = [
        _agent(ids[number], profiles[number], writer, ids.get(twin_of.get(number)))
        for number in order
    ]
    return Agents(seed, material, tuple(agents))


def _agent(agent_id: str, profile: Profile, writer: CardWriter, twin_of: str | None) -> BenchAgent:
    a2a = writer.card(agent_id, profile)
    card = agent_card(read_entry({**a2a, "id": agent_id}, agent_id, SOURCE), SOURCE)
    return BenchAgent(agent_id, profile, a2a, card, twin_of)
