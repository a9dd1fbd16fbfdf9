"""From a profile to an A2A Agent Card in words: name, description, skill and the rest."""

import random
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from agent_discovery.corpora.agentbench.english import filled, gerund, third_person, with_article
from agent_discovery.corpora.agentbench.material import (
    INPUT,
    OUTPUT,
    TERMS,
    Domain,
    Material,
    Skill,
    Value,
)
from agent_discovery.corpora.agentbench.profiles import Profile

# Of the texts that a card could have, one of ordinary length is taken: neither curt nor rambling.
SHORTEST = 175
LONGEST = 233
PROFILE_EXTENSION = "https://agentbench.example/extensions/operational-profile/v1"
BINDINGS = ("JSONRPC", "HTTP+JSON", "GRPC")
HEAD_CHANCE = 0.4
TRIES_AN_OPENING = 40


class CardWriter:
    """Writes the cards of one benchmark; no two get the same name or description."""

    def __init__(self, material: Material, seed: int):
        self._material = material
        self._seed = seed
        self._skills = {skill.id: skill for skill in material.skills}
        self._taken: set[str] = set()

    def card(self, card_id: str, profile: Profile) -> dict[str, Any]:
        """The A2A Agent Card of a profile, in the form that the public SDK's server gives out.

        That form holds what version 1.0 of the protocol asks for (`supportedInterfaces`) and what
        clients of 0.3 read (`url`, `preferredTransport`, `protocolVersion`).
        """
        # One stream a card: an edit of one skill's phrases leaves the cards of others alone.
        self._rng = random.Random(f"{self._seed}:{card_id}")
        skill = self._skills[profile.skill]
        domain = self._material.domain(profile.domain)
        wording = self._material.wording
        brand = self._rng.choice(wording["brands"])
        house = self._rng.choice(wording["houses"])
        does, told = self._rng.sample(skill.does, 2)
        host = f"{brand}-{house}.example".lower()
        return {
            "name": self._new(lambda: self._name(skill, brand)),
            "description": self._new(lambda: self._description(profile, skill, domain, does)),
            "provider": {"organization": f"{brand} {house}", "url": f"https://{host}"},
            "version": ".".join(str(self._rng.randint(0, most)) for most in (5, 14, 9)),
            **self._interfaces(host, skill),
            "capabilities": self._capabilities(profile),
            "defaultInputModes": self._media(INPUT, profile.input),
            "defaultOutputModes": self._media(OUTPUT, profile.output),
            "skills": [self._skill(skill, domain, told)],
        }

    def _new(self, draw: Callable[[], str]) -> str:
        """What `draw` gives, drawn until no earlier card has it."""
        text = draw()
        while text in self._taken:
            text = draw()
        self._taken.add(text)
        return text

    def _name(self, skill: Skill, brand: str) -> str:
        wording = self._material.wording
        return filled(
            self._rng.choice(wording["names"]),
            {
                "brand": brand,
                "title": self._rng.choice(skill.titles),
                "role": self._rng.choice(wording["roles"]),
                "first": self._rng.choice(wording["firsts"]),
            },
        )

    def _description(self, profile: Profile, skill: Skill, domain: Domain, does: str) -> str:
        """A text of ordinary length. The opening is drawn first, or short ones would prevail."""
        while True:
            pattern = self._rng.choice(self._material.wording["openings"])
            for _ in range(TRIES_AN_OPENING):
                used = self._head(pattern, profile)
                opening = self._opening(pattern, used, profile, skill, domain, does)
                text = f"{opening} {self._terms(profile, used)}"
                if SHORTEST <= len(text) <= LONGEST:
                    return text

    def _head(self, pattern: str, profile: Profile) -> str | None:
        """A term that the opening tells as an adjective, if it has a place for one."""
        heads = [name for name in TERMS if self._value(name, profile).head]
        if "kind}" in pattern and heads and self._rng.random() < HEAD_CHANCE:
            return self._rng.choice(heads)
        return None

    def _opening(
        self,
        pattern: str,
        head: str | None,
        profile: Profile,
        skill: Skill,
        domain: Domain,
        does: str,
    ) -> str:
        """What the agent does, for whom, from what, to what."""
        kind = self._rng.choice(self._material.wording["kinds"])
        if head:
            kind = f"{self._value(head, profile).head} {kind}"
        phrases = {
            "kind": kind,
            "a_kind": with_article(kind),
            "does": third_person(does),
            "do": does,
            "doing": gerund(does),
            "field": domain.field,
            "audience": self._rng.choice(skill.audiences),
            INPUT: self._rng.choice(self._value(INPUT, profile).noun),
            OUTPUT: self._rng.choice(self._value(OUTPUT, profile).noun),
        }
        return filled(pattern, phrases)

    def _terms(self, profile: Profile, used: str | None) -> str:
        """The terms that the opening has not named, in any order."""
        names = [name for name in TERMS if name != used]
        self._rng.shuffle(names)
        phrases = {}
        for place, name in enumerate(names, start=1):
            value = self._value(name, profile)
            verb = self._rng.choice(value.verb)
            phrases[f"n{place}"] = self._rng.choice(value.noun)
            phrases[f"v{place}"] = verb
            phrases[f"s{place}"] = third_person(verb)
        patterns = self._material.wording["terms_less_one" if used else "terms"]
        return filled(self._rng.choice(patterns), phrases)

    def _skill(self, skill: Skill, domain: Domain, told: str) -> dict[str, Any]:
        tags = self._rng.sample(skill.tags, len(skill.tags))
        told = third_person(told)
        return {
            "id": skill.id,
            "name": skill.name,
            "description": f"{told[0].upper()}{told[1:]}.",
            "tags": [*tags, domain.field],
            "examples": self._rng.sample(skill.examples, self._rng.choice((1, 2))),
        }

    def _interfaces(self, host: str, skill: Skill) -> dict[str, Any]:
        binding = self._rng.choice(BINDINGS)
        path = self._rng.choice(("a2a", "a2a/v1", f"agents/{skill.id}", skill.id))
        url = f"https://{host}/{path}"
        versions = ("1.0", "0.3")
        return {
            "protocolVersion": "0.3.0",
            "url": url,
            "preferredTransport": binding,
            "supportedInterfaces": [
                {"url": url, "protocolBinding": binding, "protocolVersion": version}
                for version in versions
            ],
        }

    def _capabilities(self, profile: Profile) -> dict[str, Any]:
        extension = {
            "uri": PROFILE_EXTENSION,
            "description": "The terms on which the agent works",
            "required": False,
            "params": {name: asdict(profile)[name] for name in TERMS},
        }
        return {
            "streaming": profile.latency == "instant",
            "pushNotifications": profile.output == "alert" or self._rng.random() < 0.3,
            "extensions": [extension],
        }

    def _value(self, name: str, profile: Profile) -> Value:
        return self._material.attributes[name].values[getattr(profile, name)]

    def _media(self, name: str, code: str) -> list[str]:
        return list(self._material.attributes[name].values[code].media)
