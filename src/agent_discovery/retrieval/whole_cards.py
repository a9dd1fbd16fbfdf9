"""The lexical baselines of Agent-as-a-Graph: BM25 and SSR over whole cards.

A whole card is an agent's text and all its tools' texts in one; tokens and signals are SSR's.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from agent_discovery.cards import Card, card_batches
from agent_discovery.retrieval.build import build_index
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.lexical import Bm25, build_fts
from agent_discovery.retrieval.methods import METHODS, Found, searcher
from agent_discovery.retrieval.structural import Ssr
from agent_discovery.temporary import temporary_folder

BM25, SSR = METHODS["bm25"].name, METHODS["ssr"].name


@contextmanager
def lexical_searchers(
    cards: Iterable[Card], k: int, tie_break: str, max_signals: int
) -> Iterator[Mapping[str, Callable[[str], Found]]]:
    """By name, what gives the first k agents for a text; cards with a parent are left out.

    The indexes live in a temporary folder until the block ends. max_signals: config.max_signals.
    """
    whole = [card for card in cards if card.parent is None]
    with temporary_folder() as folder:
        isi, fts = folder / "isi", folder / "bm25.sqlite"
        build_index(card_batches(whole), isi, max_signals)
        build_fts(card_batches(whole), fts)
        index = InvertedSignalIndex(isi)
        retrievers = {BM25: Bm25(fts), SSR: Ssr(index)}
        yield {
            name: searcher(retriever, index, k, tie_break) for name, retriever in retrievers.items()
        }
