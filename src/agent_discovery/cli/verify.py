"""`agent-discovery verify`: whether a built index is whole, and of the cards it should be of."""

import argparse
from pathlib import Path

from agent_discovery.cli.options import command
from agent_discovery.errors import InputError, printable

EXAMPLE = """  agent-discovery verify my_index
  agent-discovery verify results/default/index/toolpool/isi \\
      --corpus results/default/corpora/toolpool/corpus.json"""


def add(commands) -> None:
    """Declare the command."""
    about = "compare every file of a built index with its checksum"
    parser = command(commands, "verify", run, about, EXAMPLE)
    parser.add_argument(
        "index", metavar="INDEX", help="what `agent-discovery index` or the workflow built"
    )
    parser.add_argument("--corpus", metavar="FILE", help="the corpus.json that it must be of")


def run(options: argparse.Namespace) -> None:
    """Verify the index; where it keeps its cards, those too."""
    from agent_discovery.corpora.corpus import cards_digest
    from agent_discovery.registry import is_built
    from agent_discovery.retrieval.isi import InvertedSignalIndex

    corpus = cards_digest(options.corpus) if options.corpus else None
    if is_built(options.index):
        cards = _verify_built(options.index, corpus)
    else:
        cards = InvertedSignalIndex(options.index, verify=True, corpus=corpus).cards
    print(printable(f"{options.index}: whole, {cards:,} cards"))


def _verify_built(folder: str, corpus: str | None) -> int:
    """Verify a folder of cards, queries and index; returns the number of cards."""
    from agent_discovery.card_store import CardStore
    from agent_discovery.corpora.corpus import cards_digest, digest_of
    from agent_discovery.registry import ABOUT, CARDS, Registry

    registry = Registry.open(folder)
    store = CardStore(Path(folder) / CARDS)
    found = digest_of(store.batches(), len(store))
    if found != cards_digest(Path(folder) / ABOUT):
        raise InputError(f"{folder}: {CARDS} does not have its digest: build the index again")
    if corpus not in (None, found):
        raise InputError(f"{folder}: it was made from another corpus: build the index again")
    registry.queries()
    return len(registry)
