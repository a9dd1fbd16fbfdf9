"""The lexical baselines of RQ2: TF-IDF and BM25 (SQLite FTS5), over the tokens that SSR sees."""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numba import njit
from tqdm import tqdm

from agent_discovery.cards import texts_of
from agent_discovery.errors import InputError
from agent_discovery.files import written_aside
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.ranking import Scored, nothing_scored
from agent_discovery.signals import tokens


class TfIdf:
    """TF-IDF: the unnormalised dot product, the sum of qtf · dtf · IDF over unigrams."""

    def __init__(self, index: InvertedSignalIndex):
        self.index = index

    def score(self, query: str) -> Scored:
        """Score every card that holds a query term; added by falling IDF."""
        lists = self.index.term_lists(query)
        arrays = self.index.arrays
        return Scored(
            *_dot_product(
                arrays["term_postings"],
                arrays["term_frequencies"],
                lists.starts,
                lists.ends,
                lists.counts * lists.idf,
                self.index.cards,
            )
        )


@njit(cache=True)
def _dot_product(postings, frequencies, starts, ends, weights, cards):
    """Cards on any list, rising; their sums of frequency · weight; their matched lists."""
    sums = np.zeros(cards)
    matched = np.zeros(cards, np.int64)
    for j in range(len(starts)):
        for i in range(starts[j], ends[j]):
            sums[postings[i]] += frequencies[i] * weights[j]
            matched[postings[i]] += 1
    found = np.nonzero(matched)[0].astype(np.uint32)
    return found, sums[found], matched[found]


def build_fts(cards: Iterable[pa.RecordBatch], path: str | Path, total: int | None = None) -> None:
    """Build the FTS5 table of the cards' tokens, row number = card number + 1.

    The table is contentless; k1 = 1.2 and b = 0.75 are fixed by FTS5.
    """
    with written_aside(path) as aside:
        connection = sqlite3.connect(aside, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(
                "CREATE VIRTUAL TABLE cards USING fts5(text, content='', tokenize='ascii')"
            )
            connection.execute("BEGIN")
            connection.executemany(
                "INSERT INTO cards(rowid, text) VALUES (?, ?)",
                enumerate(_token_texts(cards, total), start=1),
            )
            connection.execute("INSERT INTO cards(cards) VALUES ('optimize')")
            connection.execute("COMMIT")
        finally:
            connection.close()


def _token_texts(cards: Iterable[pa.RecordBatch], total: int | None) -> Iterator[str]:
    with tqdm(total=total, desc="indexing (FTS5)", unit="card", disable=None, delay=2) as progress:
        for batch in cards:
            for text in texts_of(batch).to_pylist():
                yield " ".join(tokens(text))
            progress.update(len(batch))


class Bm25:
    """BM25 by SQLite FTS5's `bm25()`, each distinct query term once, OR-ed.

    FTS5 gives better matches lower (negative) values; the score here is that value negated. FTS5
    does not say how many terms matched, so the matched count is 0 for all; and it takes terms of
    32,768 bytes and more for equal when they begin alike.
    """

    def __init__(self, path: str | Path):
        path = Path(path)
        if not path.is_file():
            raise InputError(f"{path}: no FTS5 index here: build it first")
        self._connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            self._connection.execute("SELECT rowid FROM cards LIMIT 1").fetchall()
        except sqlite3.DatabaseError:
            raise InputError(f"{path}: no whole FTS5 index: delete it and build it again") from None

    def score(self, query: str) -> Scored:
        """Score every card that holds a query term."""
        terms = dict.fromkeys(tokens(query))
        if not terms:
            return nothing_scored()
        rows = self._connection.execute(
            "SELECT rowid, bm25(cards) FROM cards WHERE cards MATCH ? ORDER BY rowid",
            (" OR ".join(f'"{term}"' for term in terms),),
        ).fetchall()
        if not rows:
            return nothing_scored()
        table = np.array(rows)
        cards = (table[:, 0] - 1).astype(np.uint32)
        return Scored(cards, -table[:, 1], np.zeros(len(rows), np.int64))
