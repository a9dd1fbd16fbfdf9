"""How much of a query's wording its target's card holds."""

from dataclasses import dataclass
from itertools import pairwise

from agent_discovery.signals import tokens


@dataclass(frozen=True)
class Overlap:
    """Shares in 0..1. Content words are what `signals.tokens` retains, each counted once."""

    words: float  # of the query's content words, those in the target's text
    jaccard: float  # shared content words over all content words of both
    bigrams: float  # of the query's content bigrams, those in the target's text


def overlap(query: str, target: str) -> Overlap:
    """The lexical overlap of a query with a card's whole text."""
    asked, held = tokens(query), tokens(target)
    shared = set(asked) & set(held)
    pairs = set(pairwise(asked))
    return Overlap(
        words=_share(len(shared), len(set(asked))),
        jaccard=_share(len(shared), len(set(asked) | set(held))),
        bigrams=_share(len(pairs & set(pairwise(held))), len(pairs)),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
