"""SSR as a join in SQLite, the way it is published, and FTS5's own bm25()."""

import heapq
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa

from agent_discovery.cards import texts_of
from agent_discovery.retrieval.isi import inverse_document_frequency
from agent_discovery.signals import signals, tokens

# Row numbers are card numbers + 1; the underscore of a bigram belongs to the term.
TABLE = """CREATE VIRTUAL TABLE cards USING fts5(
    text, content='', tokenize="unicode61 remove_diacritics 0 tokenchars '_'"
)"""
VIEWS = """
CREATE VIRTUAL TABLE temp.frequencies USING fts5vocab(main, cards, row);
CREATE VIRTUAL TABLE temp.instances USING fts5vocab(main, cards, instance);
CREATE TABLE temp.weights (term TEXT PRIMARY KEY, idf REAL) WITHOUT ROWID;
"""
# CROSS JOIN: from the query's few terms to their instances, never the other way about.
SSR = """SELECT instances.doc - 1, SUM(weights.idf) AS score, COUNT(*) AS matched
FROM weights CROSS JOIN instances ON instances.term = weights.term
GROUP BY instances.doc ORDER BY score DESC, matched DESC, instances.doc LIMIT ?"""
FREQUENCY = "SELECT doc FROM temp.frequencies WHERE term = ?"
INSTANCES = "SELECT doc FROM temp.instances WHERE term = ?"
BM25 = """SELECT rowid - 1, -bm25(cards) AS score FROM cards WHERE cards MATCH ?
ORDER BY score DESC, rowid LIMIT ?"""


def build(cards: Iterable[pa.RecordBatch], path: Path, of_signals: bool) -> None:
    """Index each card's signals, or its tokens, as the text of a row."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute(TABLE)
    connection.execute("BEGIN")
    rows = enumerate(_texts(cards, signals if of_signals else tokens), start=1)
    connection.executemany("INSERT INTO cards(rowid, text) VALUES (?, ?)", rows)
    connection.execute("COMMIT")
    connection.close()


def _texts(cards: Iterable[pa.RecordBatch], words_of) -> Iterator[str]:
    for batch in cards:
        for text in texts_of(batch).to_pylist():
            yield " ".join(words_of(text))


class SqliteSsr:
    """SSR's scores by a join with the instances of the query's signals, added up in SQL.

    The quickest form that was found; the published one is not public.
    """

    def __init__(self, path: Path, cards: int):
        self._connection = sqlite3.connect(path)
        self._connection.executescript(VIEWS)
        self._cards = cards

    def top(self, query: str, k: int) -> list[tuple[int, float]]:
        """The first k cards and their scores."""
        run = self._connection.execute
        run("DELETE FROM temp.weights")
        run_many = self._connection.executemany
        run_many("INSERT INTO temp.weights VALUES (?, ?)", self._weights(query))
        return [(card, score) for card, score, _ in run(SSR, (k,)).fetchall()]

    def top_by_rows(self, query: str, k: int) -> list[tuple[int, float]]:
        """The same by fetching every instance and adding up in Python."""
        scores: dict[int, float] = {}
        matched: dict[int, int] = {}
        for signal, idf in self._weights(query):
            for (row,) in self._connection.execute(INSTANCES, (signal,)):
                scores[row] = scores.get(row, 0.0) + idf
                matched[row] = matched.get(row, 0) + 1
        first = heapq.nsmallest(k, scores, key=lambda row: (-scores[row], -matched[row], row))
        return [(row - 1, scores[row]) for row in first]

    def _weights(self, query: str) -> list[tuple[str, float]]:
        found = []
        for signal in signals(query):
            row = self._connection.execute(FREQUENCY, (signal,)).fetchone()
            if row:
                found.append((signal, inverse_document_frequency(self._cards, row[0])))
        return found


class SqliteBm25:
    """bm25() over the distinct tokens of the query, OR-ed."""

    def __init__(self, path: Path):
        self._connection = sqlite3.connect(path)

    def top(self, query: str, k: int) -> list[tuple[int, float]]:
        """The first k cards and their scores."""
        terms = " OR ".join(f'"{term}"' for term in dict.fromkeys(tokens(query)))
        return self._connection.execute(BM25, (terms, k)).fetchall() if terms else []
