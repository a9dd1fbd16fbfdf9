"""Searching a registry from Python.

>>> registry = Registry.load("toolpool")
>>> hits = registry.search("convert a Word document to PDF", k=3)
>>> hits[0].id, [evidence.signal for evidence in hits[0].evidence]
"""

import weakref
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from agent_discovery.card_store import CardStore
from agent_discovery.config import CardLevel
from agent_discovery.corpora import load_corpus, spec_of
from agent_discovery.corpora.corpus import write_corpus
from agent_discovery.errors import InputError
from agent_discovery.retrieval.build import build_index
from agent_discovery.retrieval.explain import Evidence, explain
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.pruned import SsrPruned


class Hit(NamedTuple):
    """A returned card: its place, its score, and the evidence that the score is the sum of."""

    rank: int
    id: str
    name: str
    description: str
    kind: str
    score: float
    evidence: tuple[Evidence, ...]


def check_k(k: int) -> None:
    """Refuse a number of cards that is none."""
    if k < 1:
        raise InputError(f"k must be at least 1, not {k}")


class Registry:
    """A searchable registry of agents, tools or passages (SSR)."""

    def __init__(self, cards: CardStore, index: InvertedSignalIndex):
        self._cards = cards
        self._index = index
        self._ssr = SsrPruned(index)

    @classmethod
    def load(cls, registry: str | Path, card_level: CardLevel = "auto") -> "Registry":
        """Read and index a registry: a folder or file of cards, or a corpus's name.

        registry: a path, or a corpus as in config/README.md; card_level: what becomes a card.
        The index is kept in a temporary folder for as long as the Registry lives. Raises InputError
        when the registry is not there or a card in it is broken.
        """
        with ExitStack() as folders:
            root = Path(folders.enter_context(TemporaryDirectory(prefix="agent-discovery-")))
            write_corpus(load_corpus(spec_of(str(registry)), card_level), root)
            cards = CardStore(root / "cards.parquet")
            build_index(cards.batches(), root / "isi", total=len(cards))
            loaded = cls(cards, InvertedSignalIndex(root / "isi"))
            weakref.finalize(loaded, folders.pop_all().close)
            return loaded

    def __len__(self) -> int:
        return len(self._cards)

    def search(self, query: str, k: int = 10) -> list[Hit]:
        """The first k cards for a request, best first; fewer, or none, where fewer match."""
        check_k(k)
        lists = self._index.signal_lists(query)
        (top,) = self._ssr.search([lists], k, self._index.tie_order("paper"))
        cards = dict(self._cards.cards(top.cards))
        hits = []
        for rank, (number, score) in enumerate(
            zip(top.cards.tolist(), top.scores.tolist(), strict=True), start=1
        ):
            card = cards[number]
            evidence = tuple(explain(self._index, lists, number, card.fields))
            hits.append(Hit(rank, card.id, card.name, card.description, card.kind, score, evidence))
        return hits
