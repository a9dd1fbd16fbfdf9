"""The little English grammar that turns phrases into sentences."""

import re

_IRREGULAR = {"be": "is", "have": "has", "do": "does"}
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh|o)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")
_SHORT = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]$")  # plan, flag: the last letter doubles
_VOWEL_SOUND = re.compile(r"[aeiou]|hour|honest", re.IGNORECASE)
_CONSONANT_SOUND = re.compile(r"us\b|us-|uk\b|uk-|uni|use|one\b|one-|euro", re.IGNORECASE)


def third_person(phrase: str) -> str:
    """A bare verb phrase after "it": "match invoices" gives "matches invoices"."""
    verb, space, rest = phrase.partition(" ")
    if verb in _IRREGULAR:
        verb = _IRREGULAR[verb]
    elif _SIBILANT.search(verb):
        verb += "es"
    elif _CONSONANT_Y.search(verb):
        verb = verb[:-1] + "ies"
    else:
        verb += "s"
    return verb + space + rest


def gerund(phrase: str) -> str:
    """A bare verb phrase as a noun: "plan trips" gives "planning trips"."""
    verb, space, rest = phrase.partition(" ")
    if re.search(r".[^e]e$", verb):
        verb = verb[:-1]
    elif _SHORT.fullmatch(verb):
        verb += verb[-1]
    return f"{verb}ing{space}{rest}"


def with_article(phrase: str) -> str:
    """A noun phrase with "a" or "an" before it."""
    vowel = _VOWEL_SOUND.match(phrase) and not _CONSONANT_SOUND.match(phrase)
    return f"{'an' if vowel else 'a'} {phrase}"


def capital(phrase: str) -> str:
    """A phrase as the beginning of a sentence."""
    return phrase[:1].upper() + phrase[1:]


def filled(pattern: str, phrases: dict[str, str]) -> str:
    """A pattern with its slots filled; `{Slot}` stands for the phrase `slot` with a capital."""
    capitals = {capital(slot): capital(phrase) for slot, phrase in phrases.items()}
    return pattern.format_map({**phrases, **capitals})
