"""One query looked at closely: its signals and posting lists, its ranking, why a target was missed.

Nothing is scored here by a rule of its own: SSR and BM25 are asked, on the query's own registry.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from agent_discovery.card_store import CardStore
from agent_discovery.cards import Card
from agent_discovery.retrieval.explain import signal_fields
from agent_discovery.retrieval.isi import InvertedSignalIndex, inverse_document_frequency
from agent_discovery.retrieval.keys import signal_of
from agent_discovery.retrieval.ranking import Scored, best, tie_span
from agent_discovery.retrieval.within import Bm25Within, SsrWithin, places_in
from agent_discovery.signals import signals

SIGNAL_COLUMNS = ["signal", "posting list (cards)", "IDF", "in the target"]
NOT_HELD, BEYOND_THE_CAP = "no", "in its text, but beyond its cap of signals"


@dataclass(frozen=True)
class Case:
    """A query, its relevant cards and the registry that it was put to.

    members: card numbers of `index`, rising; N, df and IDF are the registry's. relevant: at least
    one card id of the registry. store: the cards that the index is of.
    """

    index: InvertedSignalIndex
    store: CardStore
    qid: str
    query: str
    relevant: Sequence[str]
    members: np.ndarray
    tie_break: str = "paper"

    @cached_property
    def _scored(self) -> Scored:
        return SsrWithin(self.index).score(self.members, self.query)

    @cached_property
    def _ranking(self) -> list[int]:
        """All candidates, best first, as card numbers."""
        return self._ranked(self._scored)

    def _ranked(self, scored: Scored) -> list[int]:
        order = best(scored, self.index.tie_order(self.tie_break), len(scored.cards))
        return scored.cards[order].tolist()

    @cached_property
    def _idf(self) -> dict[int, tuple[int, float]]:
        """(cards that hold it, IDF) of each signal key, in the registry, by falling IDF."""
        lists, postings = self.index.signal_lists(self.query), self.index.arrays["postings"]
        counts = {
            int(key): int(places_in(self.members, postings[start:end])[0].sum())
            for key, start, end in zip(lists.keys, lists.starts, lists.ends, strict=True)
        }
        held = sorted((df, key) for key, df in counts.items() if df)
        size = len(self.members)
        return {key: (df, inverse_document_frequency(size, df)) for df, key in held}

    @cached_property
    def target(self) -> Card:
        """The relevant card that SSR ranks first; where none is a candidate, the first by id."""
        numbers = {self.index.card_of(card_id): card_id for card_id in sorted(self.relevant)}
        found = next((number for number in self._ranking if number in numbers), None)
        return self._card(next(iter(numbers)) if found is None else found)

    def _card(self, number: int) -> Card:
        [(_, card)] = self.store.cards([number])
        return card

    def _held_by(self, number: int) -> list[int]:
        """The query's signals that a card holds, as keys, by falling IDF."""
        start, end = self.index.arrays["card_offsets"][number : number + 2]
        own = set(self.index.arrays["card_signals"][start:end].tolist())
        return [key for key in self._idf if key in own]

    @property
    def candidates(self) -> int:
        """Cards that share a signal with the query."""
        return len(self._ranking)

    def rank(self) -> int | None:
        """The target's rank by SSR, from 1; None when it is no candidate."""
        return _rank(self._ranking, self.index.card_of(self.target.id))

    def bm25_rank(self) -> int | None:
        """The target's rank by BM25 on the same registry."""
        scored = Bm25Within(self.index).score(self.members, self.query)
        return _rank(self._ranked(scored), self.index.card_of(self.target.id))

    def signals(self) -> pd.DataFrame:
        """The query's signals that cards of the registry hold, a row each, by falling IDF.

        Columns: signal, posting list (cards that hold it), IDF, in the target (the fields).
        """
        fields = signal_fields(self.target.fields)
        own = set(self._held_by(self.index.card_of(self.target.id)))
        rows = []
        for key, (df, idf) in self._idf.items():
            signal = signal_of(key, self.index.vocabulary)
            where = ", ".join(fields.get(signal, ()))
            if key not in own:
                where = BEYOND_THE_CAP if where else NOT_HELD
            rows.append((signal, df, idf, where))
        return pd.DataFrame(rows, columns=SIGNAL_COLUMNS)

    def unheld(self) -> str:
        """In words: the query's signals that no card of the registry holds."""
        held = {signal_of(key, self.index.vocabulary) for key in self._idf}
        wanted = [name for name in signals(self.query, self.index.max_signals) if name not in held]
        if not wanted:
            return "Each of the query's signals is held by some card."
        return f"No card of the registry holds these: {', '.join(wanted)}."

    def pool(self, k: int) -> pd.DataFrame:
        """SSR's first k cards, and the target below them where it is not among them."""
        shown = list(enumerate(self._ranking[:k], start=1))
        rank, target = self.rank(), self.index.card_of(self.target.id)
        if rank is None or rank > k:
            shown.append((rank, target))
        scores = dict(zip(self._scored.cards.tolist(), self._scored.scores.tolist(), strict=True))
        rows = []
        for place, number in shown:
            card = self._card(number)
            held = [signal_of(key, self.index.vocabulary) for key in self._held_by(number)]
            mark = "target" if number == target else "relevant" * (card.id in self.relevant)
            told = (card.name, scores.get(number, 0.0), ", ".join(held), mark)
            rows.append(("none" if place is None else str(place), card.id, *told))
        names = ["rank", "card", "name", "score", "matched signals", ""]
        return pd.DataFrame(rows, columns=names)

    def why(self, k: int) -> str:
        """In words: where the target came at a budget of k cards, and what it lacks."""
        rank, size = self.rank(), len(self.members)
        told = [f"The target is {self.target.id}; the registry has {size:,} cards."]
        if rank is None:
            return " ".join([*told, self._no_candidate()])
        where = "within" if rank <= k else "beyond"
        told.append(
            f"SSR ranks it {rank:,} of {self.candidates:,} candidates, {where} the budget of K = "
            f"{k}; BM25 ranks it {_told_rank(self.bm25_rank())}."
        )
        own = self._held_by(self.index.card_of(self.target.id))
        worth = sum(self._idf[key][1] for key in own)
        told.append(
            f"It holds {len(own)} of the {len(self._idf)} signals of the query that any card "
            f"holds, which score {worth:.2f}."
        )
        if rank > k:
            told.append(self._beaten_by(self._ranking[k - 1], k, own))
        return " ".join(told)

    def _no_candidate(self) -> str:
        return (
            "It shares no signal with the query, so SSR cannot find it at any budget: the query "
            f"says it in other words. {self.candidates:,} other cards share one; BM25 ranks it "
            f"{_told_rank(self.bm25_rank())}."
        )

    def _beaten_by(self, last: int, k: int, own: Sequence[int]) -> str:
        """What the last card within the budget has that the target has not."""
        held = self._held_by(last)
        score = sum(self._idf[key][1] for key in held)
        told = f"The card at rank {k} scores {score:.2f}"
        span = tie_span(self._scored, last)
        if span == tie_span(self._scored, self.index.card_of(self.target.id)):
            return f"{told}, too: {span[1]} cards tie there, and the order of ties decides."
        lacking = [
            f"{signal_of(key, self.index.vocabulary)} ({self._idf[key][1]:.2f})"
            for key in held
            if key not in own
        ]
        return f"{told} with signals that the target lacks: {', '.join(lacking)}."


def whole(index: InvertedSignalIndex) -> np.ndarray:
    """All cards of an index as the members of a registry."""
    return np.arange(index.cards)


def members_of(index: InvertedSignalIndex, ids: Sequence[str]) -> np.ndarray:
    """Some cards of an index as the members of a registry."""
    return np.sort([index.card_of(card_id) for card_id in ids])


def _rank(ranking: Sequence[int], number: int) -> int | None:
    return ranking.index(number) + 1 if number in ranking else None


def _told_rank(rank: int | None) -> str:
    return "nowhere" if rank is None else f"{rank:,}"
