"""SSR in plain Python, from the definitions that the tests hold the package against.

Only the lists of the queries' own signals are kept, so that a million passages fit in memory.
"""

from array import array
from collections import defaultdict
from collections.abc import Sequence

from agent_discovery.card_store import CardStore
from agent_discovery.cards import texts_of
from tests.reference import idf, signals

Row = tuple[int, float, int]  # card number, score, matched signals


def first_cards(store: CardStore, queries: Sequence[str], k: int) -> list[list[Row]]:
    """The first k cards of each query. Ids must be the numbers of the cards, from 0.

    Work is linear in the texts and in the postings of the queries' signals.
    """
    wanted = {signal for query in queries for signal in signals(query)}
    holders: dict[str, array] = defaultdict(lambda: array("I"))
    card = 0
    for batch in store.batches():
        for text in texts_of(batch).to_pylist():
            for signal in wanted.intersection(signals(text)):
                holders[signal].append(card)
            card += 1
    return [_ranked(query, holders, card, k) for query in queries]


def _ranked(query: str, holders: dict[str, array], cards: int, k: int) -> list[Row]:
    known = [signal for signal in signals(query) if signal in holders]
    weights = {signal: idf(cards, len(holders[signal])) for signal in known}
    scores: dict[int, float] = defaultdict(float)
    matched: dict[int, int] = defaultdict(int)
    for signal, weight in sorted(weights.items(), key=lambda item: -item[1]):
        for card in holders[signal]:
            scores[card] += weight
            matched[card] += 1
    first = sorted(scores, key=lambda card: (-scores[card], -matched[card], card))[:k]
    return [(card, scores[card], matched[card]) for card in first]
