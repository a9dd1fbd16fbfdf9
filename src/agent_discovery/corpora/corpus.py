"""A corpus: cards, queries and judgments from one source, checked against each other."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from agent_discovery.cards import (
    CARDS_SCHEMA,
    QRELS_SCHEMA,
    QUERIES_SCHEMA,
    Card,
    Judgment,
    Query,
    card_batches,
    table_of,
)
from agent_discovery.errors import InputError
from agent_discovery.files import write_json, write_table, written_aside


@dataclass
class Corpus:
    """What a loader gives. `cards` may be a stream and is read once.

    checksums: what the content came from, name -> sha256 (or another stable mark).
    notes: what a reader of the results must know of this corpus.
    """

    spec: str
    cards: Iterable[Card]
    queries: list[Query] = field(default_factory=list)
    qrels: list[Judgment] = field(default_factory=list)
    total: int | None = None
    checksums: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def write_corpus(corpus: Corpus, folder: Path) -> None:
    """Write cards, queries, qrels (Parquet, in the source's order) and corpus.json into `folder`.

    The order of qrels is kept because samples follow it (PROTOCOL 1.5). Raises InputError when an
    id is there twice or a judgment names a card or query that is not there.
    """
    ids = _write_cards(corpus, folder / "cards.parquet")
    check_judgments(corpus, ids)
    write_table(folder / "queries.parquet", table_of(corpus.queries, QUERIES_SCHEMA))
    write_table(folder / "qrels.parquet", table_of(corpus.qrels, QRELS_SCHEMA))
    positive = {judgment.qid for judgment in corpus.qrels if judgment.grade > 0}
    counts = {
        "cards": len(ids),
        "queries": len(corpus.queries),
        "judged_queries": len(positive),
        "judgments": len(corpus.qrels),
    }
    write_json(
        folder / "corpus.json",
        {
            "corpus": corpus.spec,
            "counts": counts,
            "checksums": corpus.checksums,
            "notes": corpus.notes,
        },
    )


def _write_cards(corpus: Corpus, path: Path) -> pa.Array:
    """Write the cards in the order given; returns their ids."""
    ids = []
    with (
        written_aside(path) as aside,
        pq.ParquetWriter(aside, CARDS_SCHEMA, compression="zstd") as writer,
        tqdm(
            total=corpus.total, desc="reading cards", unit="card", disable=None, delay=2
        ) as progress,
    ):
        for batch in card_batches(corpus.cards):
            writer.write_batch(batch)
            ids.append(batch.column("id"))
            progress.update(len(batch))
        if not ids:
            raise InputError(f"{corpus.spec}: there is no card in it")
        every = pa.concat_arrays(ids)
        if len(every.unique()) < len(every):
            raise InputError(f"{corpus.spec}: card id {_repeated(every)!r} is there twice")
    return every


def _repeated(ids: pa.Array) -> str:
    counts = ids.value_counts()
    return next(row["values"].as_py() for row in counts if row["counts"].as_py() > 1)


def check_judgments(corpus: Corpus, ids: pa.Array) -> None:
    """Refuse a judgment for a card or a query that is not there."""
    qids = {query.qid for query in corpus.queries}
    judged = pa.array([judgment.id for judgment in corpus.qrels], pa.string())
    known = pa.compute.is_in(judged, ids).to_pylist()
    for judgment, is_known in zip(corpus.qrels, known, strict=True):
        what = f"{corpus.spec}: the judgment ({judgment.qid}, {judgment.id})"
        if judgment.qid not in qids:
            raise InputError(f"{what} is for a query that is not there: add it or drop the line")
        if not is_known:
            raise InputError(f"{what} is for a card that is not there: add it or drop the line")
