"""Putting a request in words: as people ask, and again in words that the target does not use."""

import random
from collections.abc import Mapping

from agent_discovery.corpora.agentbench.english import filled
from agent_discovery.corpora.agentbench.generator import Agents, BenchAgent
from agent_discovery.corpora.agentbench.material import (
    INPUT,
    OUTPUT,
    TERMS,
    Material,
    Phrases,
    Skill,
)
from agent_discovery.corpora.agentbench.overlap import overlap

# What a paraphrase may share with its target: a third of its content words, no bigram.
SHARED_WORDS = 1 / 3
# A plain query that has more of its bigrams from the card is taken for a copy.
COPIED_BIGRAMS = 0.4
# Of so many plain wordings, that which speaks the card's language most is taken: the plain queries
# are meant to be ones that an exact match can answer (the paraphrased ones are not).
WORDINGS = 6
TRIES = 500
FLOW_FIRST = 0.4


class NoWording(ValueError):
    """A request for which no wording within the limits was found."""


def ask(
    bench: Agents, target: BenchAgent, asked: Mapping[str, str], turn: int, rng: random.Random
) -> str:
    """A plain query. `turn`: which of the skill's ways to ask for it."""
    need = _skill(bench, target).needs[turn]
    drawn = [_request(bench.material, need, asked, ("ask", "want"), rng) for _ in range(WORDINGS)]
    overlaps = {text: overlap(text, target.card.text) for text in drawn}
    fresh = [text for text in drawn if overlaps[text].bigrams <= COPIED_BIGRAMS]
    if not fresh:
        raise NoWording(f"{target.id}: every wording of {need!r} copies the card")
    return max(fresh, key=lambda text: overlaps[text].words)


def paraphrase(
    bench: Agents, target: BenchAgent, asked: Mapping[str, str], turn: int, rng: random.Random
) -> str:
    """The same request in other words than the target's."""
    need = _skill(bench, target).paraphrases[turn]
    for _ in range(TRIES):
        text = _request(bench.material, need, asked, ("other", "hint"), rng)
        found = overlap(text, target.card.text)
        if found.words <= SHARED_WORDS and not found.bigrams:
            return text
    raise NoWording(f"{target.id}: no paraphrase of {need!r} is far enough from the card")


def _skill(bench: Agents, target: BenchAgent) -> Skill:
    return next(skill for skill in bench.material.skills if skill.id == target.profile.skill)


def _request(
    material: Material,
    need: str,
    asked: Mapping[str, str],
    kinds: tuple[str, str],
    rng: random.Random,
) -> str:
    """The need, what goes in and comes out, and the conditions, in two to four sentences.

    kinds: which phrases of a value are its verb phrase and its fragment.
    """
    wording = material.wording
    personal = "other" in kinds or need.partition(" ")[0] in wording["personal_verbs"]
    openings = wording["personal_needs" if personal else "agent_needs"]
    opening = filled(rng.choice(openings), {"do": need})
    flow = _flow(material, asked, kinds[0], rng)
    conditions = _conditions(material, asked, kinds, rng)
    # "It would get ..." must follow what it is.
    flow_first = flow.startswith("We ") and rng.random() < FLOW_FIRST
    parts = [flow, opening] if flow_first else [opening, flow]
    return " ".join(part for part in [*parts, conditions] if part)


def _flow(material: Material, asked: Mapping[str, str], kind: str, rng: random.Random) -> str:
    """What goes in and what comes out, as far as that is asked for; else nothing."""
    ends = {
        name: rng.choice(_phrases(material, asked, name, kind))
        for name in (INPUT, OUTPUT)
        if name in asked
    }
    which = "both" if len(ends) == 2 else next(iter(ends), "none")
    return filled(rng.choice(material.wording["flows"][which]), ends)


def _conditions(
    material: Material, asked: Mapping[str, str], kinds: tuple[str, str], rng: random.Random
) -> str:
    """The terms that are asked for, in any order; nothing if none is."""
    terms = [name for name in asked if name in TERMS]
    rng.shuffle(terms)
    slots = {}
    for place, name in enumerate(terms, start=1):
        slots[f"v{place}"] = rng.choice(_phrases(material, asked, name, kinds[0]))
        slots[f"n{place}"] = rng.choice(_phrases(material, asked, name, kinds[1]))
    return filled(rng.choice(material.wording["conditions"][len(terms)]), slots)


def _phrases(material: Material, asked: Mapping[str, str], name: str, kind: str) -> Phrases:
    return getattr(material.attributes[name].values[asked[name]], kind)
