"""The lexical baselines of Agent-as-a-Graph: BM25 and SSR over whole cards.

A whole card is an agent's text and all its tools' texts in one; tokens and signals are SSR's.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from agent_discovery.cards import Card, card_batches
from agent_discovery.retrieval.build import build_index
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.lexical import build_fts
from agent_discovery.retrieval.methods import METHODS, searcher

LEXICAL = ("bm25", "ssr")


@contextmanager
def lexical_searchers(
    cards: Iterable[Card], k: int, tie_break: str, max_signals: int
) -> Iterator[Mapping[str, Callable[[str], list[str]]]]:
    """By name, what gives the first k agents for a text; cards with a parent are left out.

    The indexes live in a temporary folder until the block ends. max_signals: config.max_signals.
    """
    whole = [card for card in cards if card.parent is None]
    with TemporaryDirectory(prefix="agent-discovery-") as folder:
        isi, fts = Path(folder, "isi"), Path(folder, "bm25.sqlite")
        build_index(card_batches(whole), isi, max_signals)
        build_fts(card_batches(whole), fts)
        index = InvertedSignalIndex(isi)
        opened = {METHODS[name].name: METHODS[name].open(index, fts) for name in LEXICAL}
        yield {name: searcher(retriever, index, k, tie_break) for name, retriever in opened.items()}
