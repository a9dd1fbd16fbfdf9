"""Searching a registry from Python (docs/python.md has more).

>>> from agent_discovery import Registry
>>> registry = Registry.load("toolpool")
>>> len(registry)
9288
>>> hits = registry.search("convert a Word document to PDF", k=3)
>>> [hit.rank for hit in hits]
[1, 2, 3]
>>> all(hit.score == sum(signal.idf for signal in hit.evidence) for hit in hits)
True
"""

import os
import shutil
import weakref
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from agent_discovery.card_store import CardStore
from agent_discovery.cards import QUERIES_SCHEMA, Card
from agent_discovery.config import CardLevel
from agent_discovery.corpora import load_corpus, spec_of
from agent_discovery.corpora.corpus import Corpus, cards_digest, write_corpus
from agent_discovery.corpora.entries import load_values
from agent_discovery.errors import InputError
from agent_discovery.files import written_aside
from agent_discovery.reading import check_regular, whole_parquet
from agent_discovery.retrieval.build import build_index
from agent_discovery.retrieval.explain import Evidence, explain
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.near_ids import near_ids
from agent_discovery.retrieval.pruned import SsrPruned
from agent_discovery.retrieval.standing import Explanation, standing
from agent_discovery.temporary import temporary_folder

CARDS, QUERIES, ABOUT, ISI = "cards.parquet", "queries.parquet", "corpus.json", "isi"


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


def is_built(folder: str | Path) -> bool:
    """Whether `folder` looks like a registry that `Registry.build` wrote, whole or not."""
    return any(os.path.exists(Path(folder) / name) for name in (CARDS, ISI))


class Registry:
    """A searchable registry of agents, tools or passages (SSR).

    Made by `load`, `from_cards`, `build` or `open`; iterating gives its cards. Safe in threads.
    """

    def __init__(self, folder: str | Path, verify: bool = True):
        """As `Registry.open`."""
        self._folder = Path(folder)
        if not is_built(folder):
            raise InputError(f"{folder}: no index here: make one with `agent-discovery index`")
        corpus = cards_digest(self._folder / ABOUT)
        self._index = InvertedSignalIndex(self._folder / ISI, verify, corpus)
        self._cards = CardStore(self._folder / CARDS)
        if len(self._cards) != len(self):
            raise InputError(f"{folder}: its cards are not those of its index: build it again")
        self._ssr = SsrPruned(self._index)

    @classmethod
    def load(cls, registry: str | Path, card_level: CardLevel = "auto") -> "Registry":
        """Read and index a registry: a folder or file of cards, or a corpus's name.

        registry: a path, or a corpus as in config/README.md; card_level: what becomes a card.
        The index is kept in a temporary folder for as long as the Registry lives; what `build`
        wrote is opened as it is. Raises InputError when the registry is not there or a card in it
        is broken.
        """
        if not is_built(registry):
            return cls._temporary(load_corpus(spec_of(str(registry)), card_level))
        if card_level != "auto":
            raise InputError(
                f"{registry}: is indexed already: its card level was chosen when it was built"
            )
        return cls.open(registry)

    @classmethod
    def from_cards(cls, cards: Iterable[Any], card_level: CardLevel = "auto") -> "Registry":
        """Index cards that are Python values: dicts such as a card file holds.

        A card without an `id` takes its position, from "0". The index is kept as by `load`. Raises
        InputError, with the position, when a card is broken or is there twice, or there is none.
        """
        return cls._temporary(load_values(cards, card_level))

    @classmethod
    def build(
        cls, registry: str | Path, folder: str | Path, card_level: CardLevel = "auto"
    ) -> "Registry":
        """Index a registry, as `load` takes it, into `folder` for good, and open that.

        `folder` must not exist. What a killed build left beside it is gone on with. Raises
        InputError as `load` does, and when `folder` is there.
        """
        if is_built(registry):
            raise InputError(f"{registry}: is indexed already: it can be searched as it is")
        if os.path.lexists(folder):
            raise InputError(f"{folder}: is there already: delete it, or build elsewhere")
        if Path(folder).resolve().is_relative_to(Path(registry).resolve()):
            raise InputError(
                f"{folder}: is inside the registry, as a card would be: build elsewhere"
            )
        with written_aside(folder, resumed=True) as aside:
            _write(load_corpus(spec_of(str(registry)), card_level), aside)
        return cls.open(folder, verify=False)

    @classmethod
    def open(cls, folder: str | Path, verify: bool = True) -> "Registry":
        """Open what `build` wrote, without reading the registry again.

        verify: compare the index's files with their checksums, which reads all bytes once (without
        it opening takes milliseconds, whatever the size). Raises InputError when the folder is not
        whole, or of another version.
        """
        return cls(folder, verify)

    @classmethod
    def _temporary(cls, corpus: Corpus) -> "Registry":
        with ExitStack() as folders:
            root = folders.enter_context(temporary_folder())
            _write(corpus, root)
            registry = cls.open(root, verify=False)
            weakref.finalize(registry, folders.pop_all().close)
            return registry

    def __len__(self) -> int:
        return self._index.cards

    def __iter__(self) -> Iterator[Card]:
        return iter(self._cards)

    def queries(self) -> list[str]:
        """The texts of the queries that came with the registry; most registries have none."""
        path = self._folder / QUERIES
        with whole_parquet(f"{path}: no whole queries file here: build the index again"):
            check_regular(path)
            table = pq.read_table(path, page_checksum_verification=True)
            if not table.schema.equals(QUERIES_SCHEMA):
                raise pa.ArrowInvalid("not a queries file")
            return table.column("text").to_pylist()

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

    def explain(self, query: str, card_id: str, k: int = 10) -> Explanation:
        """Why a card is, or is not, among the first k for a request.

        Raises InputError, with ids like it, when there is no card of that id.
        """
        check_k(k)
        number = self._index.card_of(card_id)
        if number is None:
            near = ", ".join(map(repr, near_ids(self._index, card_id)))
            what_to_do = f"like it: {near}" if near else "take one that a search returns"
            raise InputError(f"no card has the id {card_id!r}: {what_to_do}")
        return standing(self._index, self._cards, query, number, k)


def _write(corpus: Corpus, folder: Path) -> None:
    write_corpus(corpus, folder)
    cards = CardStore(folder / CARDS)
    # There only if a build was killed when all but its renaming was done.
    shutil.rmtree(folder / ISI, ignore_errors=True)
    build_index(cards, folder / ISI, total=len(cards), corpus=cards_digest(folder / ABOUT))
