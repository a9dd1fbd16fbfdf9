"""Where one card stands for a query: what put it there, and what it lacks to stand higher."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from agent_discovery.card_store import CardStore
from agent_discovery.cards import Card
from agent_discovery.retrieval.explain import Evidence, explain, signal_fields
from agent_discovery.retrieval.isi import InvertedSignalIndex, Lists, inverse_document_frequency
from agent_discovery.retrieval.keys import signal_of
from agent_discovery.retrieval.ranking import Scored, best, position_of, tie_span
from agent_discovery.retrieval.structural import Ssr
from agent_discovery.signals import signals


class Missing(NamedTuple):
    """A signal of the query that a card does not have."""

    signal: str
    idf: float  # what it would add to the score
    cards: int  # df: how many cards have it
    in_text: bool  # whether it is in the card's text, and only the cap on signals left it out


class Rival(NamedTuple):
    """Another card for the same query, and the matched signals that the explained card lacks."""

    rank: int
    id: str
    name: str
    score: float
    matched: int
    ahead_by: tuple[Evidence, ...]


class Explanation(NamedTuple):
    """Why a card is, or is not, among the first k for a query.

    A card that shares no signal with the query is no candidate: its rank is None, its score 0.
    """

    query: str
    id: str
    name: str
    kind: str
    k: int
    cards: int  # in the registry
    candidates: int  # that share a signal with the query
    rank: int | None
    score: float
    tied: int  # other cards with the same score and matched count: ids order them
    evidence: tuple[Evidence, ...]  # the matched signals, whose IDFs make up the score
    missing: tuple[Missing, ...]  # the query's other signals; those that no card has come last
    above: tuple[Rival, ...]  # the cards of the first k that stand above, best first
    kth: Rival | None  # the k-th card; None where fewer are candidates

    @property
    def found(self) -> bool:
        """Whether the card is among the first k."""
        return self.rank is not None and self.rank <= self.k


def standing(
    index: InvertedSignalIndex, store: CardStore, query: str, number: int, k: int
) -> Explanation:
    """The explanation of card `number`. Every candidate is scored, as ranks need them all.

    store: the cards of the index.
    """
    lists = index.signal_lists(query)
    scored = Ssr(index).score(query)
    ((_, card),) = store.cards([number])
    evidence = tuple(explain(index, lists, number, card.fields))
    held = {one.signal for one in evidence}
    order = best(scored, index.tie_order("paper"), len(scored.cards))
    rivals = tuple(_rivals(index, store, lists, scored, order[:k], held))
    rank, score, tied = _place(scored, order, number)
    return Explanation(
        query=query,
        id=card.id,
        name=card.name,
        kind=card.kind,
        k=k,
        cards=index.cards,
        candidates=len(scored.cards),
        rank=rank,
        score=score,
        tied=tied,
        evidence=evidence,
        missing=tuple(_missing(index, lists, query, card, held)),
        above=rivals if rank is None else rivals[: rank - 1],
        kth=rivals[k - 1] if len(rivals) == k else None,
    )


def _place(scored: Scored, order: np.ndarray, number: int) -> tuple[int | None, float, int]:
    """A card's rank, its score, and how many others tie with it; order: positions, best first."""
    position = position_of(scored, number)
    if position is None:
        return None, 0.0, 0
    _, tied = tie_span(scored, number)
    return int((order == position).argmax()) + 1, float(scored.scores[position]), tied - 1


def _rivals(
    index: InvertedSignalIndex,
    store: CardStore,
    lists: Lists,
    scored: Scored,
    first: np.ndarray,
    held: Collection[str],
) -> Iterator[Rival]:
    """The cards at the positions `first` of `scored`; held: the explained card's signals."""
    cards = dict(store.cards(scored.cards[first]))
    for rank, position in enumerate(first.tolist(), start=1):
        number = int(scored.cards[position])
        card = cards[number]
        evidence = explain(index, lists, number, card.fields)
        ahead_by = tuple(one for one in evidence if one.signal not in held)
        score, matched = float(scored.scores[position]), int(scored.matched[position])
        yield Rival(rank, card.id, card.name, score, matched, ahead_by)


def _missing(
    index: InvertedSignalIndex, lists: Lists, query: str, card: Card, held: Collection[str]
) -> list[Missing]:
    """The signals of the query that are not in `held`; those with the most to add come first."""
    names = [signal_of(key, index.vocabulary) for key in lists.keys]
    cards = dict(zip(names, (lists.ends - lists.starts).tolist(), strict=True))
    in_text = signal_fields(card.fields)
    missing = [
        Missing(
            signal,
            inverse_document_frequency(index.cards, cards.get(signal, 0)),
            cards.get(signal, 0),
            signal in in_text,
        )
        for signal in signals(query, index.max_signals)
        if signal not in held
    ]
    return sorted(missing, key=lambda one: (one.cards == 0, -one.idf, one.signal))
