"""What the benchmark is made from: 24 domains of six skills, attributes, names and wording."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import yaml

Phrases = tuple[str, ...]

INPUT = "input"
OUTPUT = "output"
TERMS = ("latency", "cost", "reliability", "access", "region")
ATTRIBUTES = (INPUT, OUTPUT, *TERMS)


@dataclass(frozen=True)
class Skill:
    """A specialty: how cards put it (`does`, `tags`, `examples`), for whom, and how people ask."""

    id: str
    domain: str
    name: str
    titles: Phrases
    audiences: Phrases
    inputs: Phrases
    outputs: Phrases
    does: Phrases
    tags: Phrases
    examples: Phrases
    needs: Phrases
    paraphrases: Phrases


@dataclass(frozen=True)
class Domain:
    """A domain, and its name in running text."""

    id: str
    field: str
    skills: tuple[Skill, ...]


@dataclass(frozen=True)
class Value:
    """A value of an attribute, and the phrases for it (see modalities.yaml and terms.yaml)."""

    noun: Phrases
    verb: Phrases = ()
    ask: Phrases = ()
    want: Phrases = ()
    other: Phrases = ()
    hint: Phrases = ()
    head: str = ""
    media: Phrases = ()


@dataclass(frozen=True)
class Attribute:
    """An operational attribute. Capped: a value meets a request for itself or any later one."""

    values: dict[str, Value]
    capped: bool = False
    order: dict[str, int] = field(init=False)

    def __post_init__(self):
        places = {code: place for place, code in enumerate(self.values)}
        object.__setattr__(self, "order", places)

    def meets(self, held: str, asked: str) -> bool:
        """Whether a card that holds one value satisfies a request for another."""
        return self.order[held] <= self.order[asked] if self.capped else held == asked


@dataclass(frozen=True)
class Material:
    """All of it. `wording` is material/wording.yaml as it stands."""

    domains: tuple[Domain, ...]
    attributes: dict[str, Attribute]
    wording: dict[str, Any]

    @property
    def skills(self) -> list[Skill]:
        """The skills of all domains, in order."""
        return [skill for domain in self.domains for skill in domain.skills]

    def domain(self, name: str) -> Domain:
        """The domain of that id."""
        return next(domain for domain in self.domains if domain.id == name)


def material_files() -> list[Traversable]:
    """The files that the material is read from, in a fixed order."""
    root = files(__package__) / "material"
    domains = sorted((root / "domains").iterdir(), key=lambda file: file.name)
    return [*(root / f"{name}.yaml" for name in ("modalities", "terms", "wording")), *domains]


@cache
def load_material() -> Material:
    """Read the material that ships with the package."""
    modalities, terms, wording, *domains = (
        yaml.safe_load(file.read_text(encoding="utf-8")) for file in material_files()
    )
    return Material(
        tuple(map(_domain, domains)), dict(_attributes({**modalities, **terms})), wording
    )


def _domain(raw: dict[str, Any]) -> Domain:
    name = raw["domain"]
    skills = tuple(_skill(name, entry) for entry in raw["skills"])
    return Domain(name, raw["field"], skills)


def _skill(domain: str, raw: dict[str, Any]) -> Skill:
    phrases = {key: tuple(value) for key, value in raw.items() if key != "name"}
    skill_id = raw["name"].lower().replace(" ", "-")
    return Skill(id=skill_id, domain=domain, name=raw["name"], **phrases)


def _attributes(raw: dict[str, Any]) -> Iterator[tuple[str, Attribute]]:
    for name, source in ((INPUT, raw["inputs"]), (OUTPUT, raw["outputs"])):
        yield name, Attribute({code: _value(value) for code, value in source.items()})
    for name in TERMS:
        values = {code: _value(value) for code, value in raw[name]["values"].items()}
        if name == "region":
            values = {**_places(raw[name]), **values}
        yield name, Attribute(values, capped=raw[name].get("cap", False))


def _places(region: dict[str, Any]) -> dict[str, Value]:
    """The values of hosting in each place: the same phrases, with the place's names."""
    return {
        code: _value(
            {
                kind: [p.format(**place) for p in phrases]
                for kind, phrases in region["wherever"].items()
            }
            | {"head": place["head"]}
        )
        for code, place in region["places"].items()
    }


def _value(raw: dict[str, Any]) -> Value:
    return Value(**{k: v if isinstance(v, str) else tuple(v) for k, v in raw.items()})
