"""SSR as a join in SQLite, the way it is published, and FTS5's own bm25()."""

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
    """SSR's scores by a join with the instances of the query's signals."""

    def __init__(self, path: Path, cards: int):
        self._connection = sqlite3.connect(path)
        self._connection.executescript(VIEWS)
        self._cards = cards

    def top(self, query: str, k: int) -> list[tuple[int, float]]:
        """The first k cards and their scores."""
        run = self._connection.execute
        run("DELETE FROM temp.weights")
        for signal in signals(query):
            row = run("SELECT doc FROM temp.frequencies WHERE term = ?", (signal,)).fetchone()
            if row:
                idf = inverse_document_frequency(self._cards, row[0])
                run("INSERT INTO temp.weights VALUES (?, ?)", (signal, idf))
        return [(card, score) for card, score, _ in run(SSR, (k,)).fetchall()]


class SqliteBm25:
    """bm25() over the distinct tokens of the query, OR-ed."""

    def __init__(self, path: Path):
        self._connection = sqlite3.connect(path)

    def top(self, query: str, k: int) -> list[tuple[int, float]]:
        """The first k cards and their scores."""
        terms = " OR ".join(f'"{term}"' for term in dict.fromkeys(tokens(query)))
        return self._connection.execute(BM25, (terms, k)).fetchall() if terms else []
