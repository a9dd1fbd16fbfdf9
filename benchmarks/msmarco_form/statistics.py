"""The statistics of a generated collection, beside those that it is made to.

All are counted by the product itself: the collection is loaded as any other, and indexed.
"""

import os
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from tabulate import tabulate

from agent_discovery.cards import Card, Query, card_batches
from agent_discovery.corpora import load_corpus
from agent_discovery.corpora.generated import read_mark
from agent_discovery.errors import InputError
from agent_discovery.retrieval.build import build_index
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.structural import Ssr
from agent_discovery.signals import signals
from benchmarks.msmarco_form.collection import FOLDER

SPEC = "irds:msmarco-passage/dev/small"
REAL_PASSAGES = 8_841_823


class Target(NamedTuple):
    """A statistic that the generator is made to; `at_size`: at the real size only."""

    name: str
    value: float
    at_size: bool = False


TARGETS = (
    Target("words a passage", 55),
    Target("bytes a passage", 349),
    Target("content tokens a passage", 32.5),
    Target("signals a passage", 51.4),
    Target("share of passages at the cap", 0.37),
    Target("words a query", 5.8),
    Target("signals a query", 5.9),
    Target("mean C_q / passages", 0.0315),
    Target("share of bigrams that occur once", 0.80, at_size=True),
    Target("distinct unigrams", 2_020_000, at_size=True),
    Target("distinct bigrams", 86_400_000, at_size=True),
    Target("unigram postings", 252_600_000, at_size=True),
    Target("bigram postings", 202_000_000, at_size=True),
)


class Row(NamedTuple):
    """A statistic as found; target: None where it holds at another size only."""

    statistic: str
    target: float | None
    found: float


class _Texts:
    """Counts words and bytes of the cards that pass."""

    def __init__(self) -> None:
        self.words = self.bytes = 0

    def counted(self, card: Card) -> Card:
        self.words += len(card.text.split())
        self.bytes += len(card.text.encode())
        return card


def measure(home: Path, sample: int) -> list[Row]:
    """Index the collection under `home` in a temporary folder, and count.

    sample: queries, from the first on, whose C_q is measured. Raises InputError when no generated
    collection is there.
    """
    if read_mark(home / FOLDER) is None:
        raise InputError(f"{home}: no generated collection is there: generate one first")
    os.environ["IR_DATASETS_HOME"] = str(home)  # read when ir_datasets is imported
    corpus = load_corpus(SPEC)
    texts = _Texts()
    with TemporaryDirectory(dir=home, prefix=".statistics-") as folder:
        batches = card_batches(map(texts.counted, corpus.cards))
        build_index(batches, Path(folder) / "isi", total=corpus.total)
        index = InvertedSignalIndex(Path(folder) / "isi")
        found = {
            "words a passage": texts.words / index.cards,
            "bytes a passage": texts.bytes / index.cards,
            **_of_passages(index),
            **_of_queries(index, corpus.queries, sample),
        }
        is_full_size = index.cards == REAL_PASSAGES
    return [
        Row(
            target.name,
            target.value if is_full_size or not target.at_size else None,
            found[target.name],
        )
        for target in TARGETS
    ]


def _of_passages(index: InvertedSignalIndex) -> dict[str, float]:
    of_unigrams = index.arrays["block_unigrams"]
    once = len(index.arrays["single_seconds"])
    bigrams = once + len(index.arrays["repeated_seconds"])
    unigram_postings = int(of_unigrams.sum(dtype=np.int64))
    held = np.diff(index.arrays["card_offsets"])
    return {
        "content tokens a passage": index.arrays.count("tokens") / index.cards,
        "signals a passage": float(held.mean()),
        "share of passages at the cap": float((held == index.max_signals).mean()),
        "share of bigrams that occur once": once / bigrams,
        "distinct unigrams": int(np.count_nonzero(of_unigrams)),
        "distinct bigrams": bigrams,
        "unigram postings": unigram_postings,
        "bigram postings": int(held.sum()) - unigram_postings,
    }


def _of_queries(index: InvertedSignalIndex, queries: list[Query], sample: int) -> dict[str, float]:
    ssr = Ssr(index)
    return {
        "words a query": fmean(len(query.text.split()) for query in queries),
        "signals a query": fmean(len(signals(query.text)) for query in queries),
        "mean C_q / passages": fmean(len(ssr.score(query.text).cards) for query in queries[:sample])
        / index.cards,
    }


def presented(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    cells = [
        (row.statistic, "" if row.target is None else _number(row.target), _number(row.found))
        for row in rows
    ]
    heads = ("statistic", "target", "found")
    return tabulate(
        cells, heads, "github", disable_numparse=True, colalign=("left", "right", "right")
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
