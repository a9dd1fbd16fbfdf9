"""A corpus: cards, queries and judgments from one source, checked against each other."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
    texts_of,
)
from agent_discovery.corpora.readers import parse_json, read_text
from agent_discovery.errors import InputError
from agent_discovery.files import write_json, write_table, written_aside

NOT_REAL = "not the real collection"


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
    total: int | None = None  # cards that there ought to be, if known
    checksums: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    real: bool = True  # whether the content is what the name says


def write_corpus(corpus: Corpus, folder: Path) -> None:
    """Write cards, queries, qrels (Parquet, in the source's order) and corpus.json into `folder`.

    The order of qrels is kept because samples follow it. Raises InputError when an id is there
    twice or a judgment names a card or query that is not there; nothing is left then.
    """
    with _named_faults(corpus.spec), written_aside(folder / "cards.parquet") as aside:
        queries = table_of(corpus.queries, QUERIES_SCHEMA)
        qrels = table_of(corpus.qrels, QRELS_SCHEMA)
        ids, digest = _write_cards(corpus, aside)
        check_judgments(corpus, ids)
    write_table(folder / "queries.parquet", queries, page_checksums=True)
    write_table(folder / "qrels.parquet", qrels, page_checksums=True)
    missing = _count_notes(corpus.total, len(ids))
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
            "checksums": {"cards": digest, **corpus.checksums},
            "notes": corpus.notes + missing,
            "real": corpus.real and not missing,
        },
    )


def cards_digest(about: str | Path) -> str:
    """The digest of a corpus's cards, from its corpus.json. Raises InputError if it has none."""
    try:
        return parse_json(read_text(Path(about)), str(about))["checksums"]["cards"]
    except (InputError, KeyError, TypeError):
        raise InputError(f"{about}: no whole corpus.json here: make the corpus again") from None


def digest_of(batches: Iterable[pa.RecordBatch], total: int | None = None) -> str:
    """The digest of some cards, as corpus.json has it. total: how many, for the progress bar."""
    digest = hashlib.sha256()
    with tqdm(total=total, desc="verifying cards", unit="card", disable=None, delay=2) as progress:
        for batch in batches:
            digest.update(_digested(batch))
            progress.update(len(batch))
    return digest.hexdigest()


def _digested(cards: pa.RecordBatch) -> bytes:
    """What a digest of cards sees of them: ids and texts."""
    pairs = zip(cards.column("id").to_pylist(), texts_of(cards).to_pylist(), strict=True)
    return "".join(f"{card_id}\t{text}\n" for card_id, text in pairs).encode()


def label_of(about: Mapping[str, Any]) -> str:
    """What tables call a corpus: its spec, and that it is not what the spec names if so.

    about: the content of corpus.json.
    """
    return about["corpus"] if about["real"] else f"{about['corpus']} ({NOT_REAL})"


def _count_notes(expected: int | None, found: int) -> list[str]:
    if expected in (None, found):
        return []
    return [f"this is not the whole collection: {found:,} cards, where {expected:,} are expected"]


@contextmanager
def _named_faults(spec: str) -> Iterator[None]:
    """Put the corpus's name before a message that does not begin with it."""
    try:
        yield
    except InputError as error:
        message = str(error)
        raise InputError(message if message.startswith(spec) else f"{spec}: {message}") from None


def _write_cards(corpus: Corpus, path: Path) -> tuple[pa.Array, str]:
    """Write the cards in the order given; returns their ids, and a digest of ids and texts."""
    ids = []
    digest = hashlib.sha256()
    with (
        pq.ParquetWriter(
            path, CARDS_SCHEMA, compression="zstd", write_page_checksum=True
        ) as writer,
        tqdm(
            total=corpus.total, desc="reading cards", unit="card", disable=None, delay=2
        ) as progress,
    ):
        for batch in card_batches(corpus.cards):
            writer.write_batch(batch)
            ids.append(batch.column("id"))
            digest.update(_digested(batch))
            progress.update(len(batch))
    if not ids:
        raise InputError(f"{corpus.spec}: there is no card in it")
    every = pa.concat_arrays(ids)
    if len(every.unique()) < len(every):
        raise InputError(f"{corpus.spec}: card id {_repeated(every.to_pylist())!r} is there twice")
    return every, digest.hexdigest()


def _repeated(values: Iterable[Any]) -> Any:
    """The first value that has come before, or None."""
    seen = set()
    return next((value for value in values if value in seen or seen.add(value)), None)


def check_judgments(corpus: Corpus, ids: pa.Array) -> None:
    """Refuse a query or judgment that is there twice, or a judgment for what is not there."""
    qids = {query.qid for query in corpus.queries}
    if len(qids) < len(corpus.queries):
        repeated = _repeated(query.qid for query in corpus.queries)
        raise InputError(f"{corpus.spec}: query id {repeated!r} is there twice: ids are unique")
    if pair := _repeated(judgment[:2] for judgment in corpus.qrels):
        raise InputError(f"{corpus.spec}: {pair[0]!r} and {pair[1]!r} are judged twice: keep one")
    judged = pa.array([judgment.id for judgment in corpus.qrels], pa.string())
    known = pa.compute.is_in(judged, ids).to_pylist()
    for judgment, is_known in zip(corpus.qrels, known, strict=True):
        what = f"{corpus.spec}: the judgment ({judgment.qid}, {judgment.id})"
        if judgment.qid not in qids:
            raise InputError(f"{what} is for a query that is not there: add it or drop the line")
        if not is_known:
            raise InputError(
                f"{what} is for a card that is not there: add it, drop the line, or set card_level "
                "to the level that is judged"
            )
