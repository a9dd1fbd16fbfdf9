"""What tests of retrieval compare: a registry, by the package and by the plain reference."""

from collections.abc import Sequence
from dataclasses import dataclass

from reference import Registry

from agent_discovery.cards import Card
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.lexical import Bm25


@dataclass(frozen=True)
class World:
    """One registry twice over: built by the package, and as the plain reference."""

    cards: Sequence[Card]
    index: InvertedSignalIndex
    bm25: Bm25
    plain: Registry
    queries: Sequence[str] = ()
