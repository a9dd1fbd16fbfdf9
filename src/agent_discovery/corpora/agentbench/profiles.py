"""The structured record of each agent: what it does and on which terms."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace

from agent_discovery.corpora.agentbench.material import ATTRIBUTES, TERMS, Material, Skill

BASE_CARDS = 850
TWIN_CARDS = 150
# Base cards of a skill, so that some skills are crowded (more cards than K = 10 with twins).
FEWEST_OF_SKILL = 3
MOST_OF_SKILL = 9


@dataclass(frozen=True)
class Profile:
    """An agent's specialty and the attributes that a query may ask for."""

    domain: str
    skill: str
    input: str
    output: str
    latency: str
    cost: str
    reliability: str
    access: str
    region: str

    def differing(self, other: "Profile") -> set[str]:
        """The attributes in which two profiles differ."""
        mine, others = asdict(self), asdict(other)
        return {name for name in ATTRIBUTES if mine[name] != others[name]}


def meets(material: Material, profile: Profile, skill: str, asked: Mapping[str, str]) -> bool:
    """Whether an agent has the skill and satisfies every attribute that is asked for.

    Faster than asked, or more reliable, is good enough; every other attribute must be equal.
    """
    return profile.skill == skill and all(
        material.attributes[name].meets(getattr(profile, name), value)
        for name, value in asked.items()
    )


def draw_bases(material: Material, rng: random.Random) -> list[Profile]:
    """Draw the profiles of the base cards, all different, skill by skill."""
    counts = Counter({skill.id: FEWEST_OF_SKILL for skill in material.skills})
    while counts.total() < BASE_CARDS:
        skill = rng.choice(material.skills).id
        counts[skill] += counts[skill] < MOST_OF_SKILL
    drawn: list[Profile] = []
    for skill in material.skills:
        found: list[Profile] = []
        while len(found) < counts[skill.id]:
            profile = _draw(material, skill, rng)
            if profile not in found:
                found.append(profile)
        drawn += found
    return drawn


def draw_twins(
    material: Material, bases: list[Profile], rng: random.Random
) -> list[tuple[int, Profile]]:
    """Draw capability twins, each with its base's place in `bases`; no profile is there twice."""
    skills = {skill.id: skill for skill in material.skills}
    taken = set(bases)
    twins = []
    for place in sorted(rng.sample(range(len(bases)), TWIN_CARDS)):
        twin = bases[place]
        while twin in taken:
            twin = _changed(material, skills[bases[place].skill], bases[place], rng)
        taken.add(twin)
        twins.append((place, twin))
    return twins


def _draw(material: Material, skill: Skill, rng: random.Random) -> Profile:
    taken = rng.choice(skill.inputs)
    given = rng.choice(_others(skill.outputs, taken))
    terms = {name: rng.choice(list(material.attributes[name].values)) for name in TERMS}
    return Profile(skill.domain, skill.id, taken, given, **terms)


def _changed(material: Material, skill: Skill, base: Profile, rng: random.Random) -> Profile:
    """A profile that differs from the base in one or two attributes."""
    changes = {}
    for name in rng.sample(ATTRIBUTES, rng.choice((1, 2))):
        known = {"input": skill.inputs, "output": skill.outputs}
        values = known.get(name) or material.attributes[name].values
        changes[name] = rng.choice(_others(values, getattr(base, name)))
    changed = replace(base, **changes)
    return base if changed.input == changed.output else changed


def _others(values: Iterable[str], unwanted: str) -> list[str]:
    return [value for value in values if value != unwanted]
