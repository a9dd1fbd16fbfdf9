"""The registries of RQ1 and RQ3 (SSR, section IV), by a recipe of Python's `random` alone.

A registry holds a query's relevant cards and negatives drawn for that query, so it grows by adding
cards: registry N holds every smaller one. Nothing here depends on any retriever.
"""

import hashlib
import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agent_discovery.errors import InputError

RESERVOIR = 50_000
# The sample of seed 42 from the real judgments of MS MARCO passage, dev/small: the SHA-256 of its
# ids joined by line feeds.
SAMPLE_SEED = 42
SAMPLE_SIZE = 200
MSMARCO_SAMPLE = "4210522ed698887a5c10ecb16b9b43088bf71a68c136c5bae63065ae10ca6efd"


class Registry(NamedTuple):
    """The registry of one query at one size: its cards' ids in the order of display."""

    qid: str
    query: str
    n: int
    ids: Sequence[str]


def query_sample(eligible: Iterable[str], size: int, seed: int) -> list[str]:
    """`size` query ids, or all if there are fewer, drawn before and apart from any retrieval."""
    ordered = sorted(eligible)
    return random.Random(seed).sample(ordered, min(size, len(ordered)))


def check_msmarco_sample(sample: Sequence[str]) -> None:
    """Refuse a sample of the real MS MARCO queries that is not the published recipe's.

    Raises InputError. Holds for SAMPLE_SEED and SAMPLE_SIZE.
    """
    if hashlib.sha256("\n".join(sample).encode()).hexdigest() != MSMARCO_SAMPLE:
        raise InputError(
            f"the sample of {len(sample)} queries begins {', '.join(sample[:3])}, not as on the "
            "real MS MARCO judgments: the recipe or the judgments have changed"
        )


class Documents:
    """The cards that a seed's registries draw from: a reservoir of the collection, then all
    required cards.

    Offer every card id once, in the collection's order. Memory is bounded by `capacity` and the
    required cards; a collection smaller than that is kept whole.
    """

    def __init__(self, required: Collection[str], seed: int, capacity: int = RESERVOIR):
        self._required = frozenset(required)
        self._random = random.Random(seed)
        self._capacity = capacity
        self._seen = 0
        self._slots: list[str] = []
        self._found: list[str] = []

    def offer(self, card_id: str) -> None:
        """Take the card, or take it in another's place, or let it pass."""
        if card_id in self._required:
            self._found.append(card_id)
            return
        self._seen += 1
        if len(self._slots) < self._capacity:
            self._slots.append(card_id)
            return
        place = self._random.randrange(self._seen)
        if place < self._capacity:
            self._slots[place] = card_id

    @property
    def ids(self) -> list[str]:
        """The reservoir in slot order, then the required cards in the collection's order."""
        return self._slots + self._found


def growth_order(
    documents: Sequence[str], qid: str, positives: Iterable[str], seed: int
) -> list[str]:
    """The order in which a query's registry grows: its relevant cards, then its negatives.

    The positives of other queries are among the negatives.
    """
    own = sorted(positives)
    negatives = _without(documents, own)
    random.Random(f"{seed}:{qid}:negative-order").shuffle(negatives)
    return own + negatives


def _without(documents: Sequence[str], own: Sequence[str]) -> list[str]:
    left_out = frozenset(own)
    return [card_id for card_id in documents if card_id not in left_out]


def displayed(grown: Sequence[str], qid: str, n: int, seed: int) -> list[str]:
    """The registry of `n` cards in the order in which the full catalog shows it."""
    registry = list(grown[:n])
    random.Random(f"{seed}:{qid}:display:{n}").shuffle(registry)
    return registry


def query_registries(
    queries: Iterable[tuple[str, str]],
    relevant: Mapping[str, Sequence[str]],
    documents: Sequence[str],
    sizes: Sequence[int],
    seed: int,
    section: str,
) -> Iterator[Registry]:
    """The registry of each (qid, text) at each size, the sizes of a query together.

    section: the part of the configuration whose `sizes` they are. Raises InputError when a size
    cannot be filled, or cannot hold a query's relevant cards.
    """
    for qid, text in queries:
        check_sizes(sizes, len(documents), len(relevant[qid]), section)
        grown = growth_order(documents, qid, relevant[qid], seed)
        for n in sizes:
            yield Registry(qid, text, n, displayed(grown, qid, n, seed))


def check_sizes(sizes: Sequence[int], cards: int, most_positives: int, section: str) -> None:
    """Refuse registry sizes that the collection cannot fill, or that relevant cards overfill."""
    if max(sizes) > cards:
        fitting = f"'{section}={{sizes: [{max(1, cards // 10)}, {cards}]}}'"
        raise InputError(
            f"{section}.sizes: a registry of {max(sizes):,} cards cannot be made of {cards:,}: set "
            f"sizes up to that, as in --config {fitting}"
        )
    if min(sizes) < most_positives:
        raise InputError(
            f"{section}.sizes: a query has {most_positives} relevant cards, which do not fit a "
            f"registry of {min(sizes)}: leave that size out"
        )
