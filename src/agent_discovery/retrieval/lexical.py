"""The lexical baselines of RQ2: TF-IDF and BM25 (SQLite FTS5), over the tokens that SSR sees."""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from tqdm import tqdm

from agent_discovery.card_store import CardStore
from agent_discovery.cards import texts_of
from agent_discovery.config import Bm25Engine
from agent_discovery.corpora.readers import parse_json, read_text
from agent_discovery.errors import InputError
from agent_discovery.files import write_json, written_aside
from agent_discovery.retrieval.bm25 import Bm25Native, summed
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.ranking import Scored, nothing_scored
from agent_discovery.signals import tokens

# What `auto` takes for few cards: more take FTS5 long to index and to ask.
FTS5_UP_TO = 200_000
ENGINE, FTS5_TABLE = "engine.json", "cards.sqlite"


class TfIdf:
    """TF-IDF: the unnormalised dot product, the sum of qtf · dtf · IDF over unigrams."""

    def __init__(self, index: InvertedSignalIndex):
        self.index = index

    def score(self, query: str) -> Scored:
        """Score every card that holds a query term; added by falling IDF."""
        lists = self.index.term_lists(query)
        return Scored(*summed(self.index, lists.starts, lists.ends, lists.counts * lists.idf))


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
        except sqlite3.OperationalError as error:
            raise OSError(f"{error} (a full disk, or one that cannot be written?)") from None
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


def prepare_bm25(cards: CardStore, folder: str | Path, engine: Bm25Engine) -> None:
    """Write which engine serves BM25 into `folder`, and the FTS5 table where that is FTS5."""
    if engine == "auto":
        engine = "fts5" if len(cards) <= FTS5_UP_TO else "native"
    with written_aside(folder) as aside:
        aside.mkdir(parents=True)
        write_json(aside / ENGINE, {"engine": engine, "cards": len(cards)})
        if engine == "fts5":
            build_fts(cards.batches(), aside / FTS5_TABLE, len(cards))


def open_bm25(index: InvertedSignalIndex, folder: str | Path) -> Bm25 | Bm25Native:
    """The engine that `prepare_bm25` wrote of; raises InputError where it wrote nothing."""
    path = Path(folder) / ENGINE
    try:
        engine = parse_json(read_text(path), str(path))["engine"]
    except (InputError, TypeError, KeyError):
        raise InputError(f"{path}: does not name an engine: delete {folder} and build it") from None
    return Bm25Native(index) if engine == "native" else Bm25(Path(folder) / FTS5_TABLE)
