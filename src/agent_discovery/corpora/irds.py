"""`irds:ID`: any ir_datasets collection with documents, queries and judgments, as a stream.

Files already under IR_DATASETS_HOME are used as they are. Two habits of ir_datasets are kept off:
it deletes a collection that lacks its own version mark, and it reads TSV with universal newlines,
so that a lone carriage return breaks a passage in two.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

import ir_datasets
from ir_datasets.formats import TsvDocs, TsvQueries
from ir_datasets.util import Migrator

from agent_discovery.cards import Card, Judgment, Query, kept_fields
from agent_discovery.corpora.corpus import Corpus
from agent_discovery.errors import InputError

MESSAGE_CHARACTERS = 200

# PROTOCOL 1.5: digests of the queries and of the judgments of the collection that was published on.
REAL_COLLECTIONS = {
    "msmarco-passage/dev/small": (
        "ad5f7dcc9575ed61cc7e7f71f57f774196b0e4d95d0e652774187ecfe0b8eeab",
        "ae13d86048be592797b2503418f0fc30b7e3accf0f485136089b76e20cb72506",
    )
}
NOT_REAL_NOTE = "this is not the real collection of that id: its queries or judgments differ"


def load_irds(dataset_id: str) -> Corpus:
    """Open a collection; its documents are read when the corpus's cards are iterated.

    Raises InputError when the id is unknown, or the collection cannot be downloaded or read.
    """
    spec = f"irds:{dataset_id}"
    dataset = _open(dataset_id, spec)
    with _named_failures(spec):
        queries = [_query(query, spec) for query in _queries(dataset, spec)]
        qrels = [Judgment(q.query_id, q.doc_id, int(q.relevance)) for q in dataset.qrels_iter()]
    digests = {"queries": _queries_digest(queries), "qrels": _qrels_digest(qrels)}
    real = REAL_COLLECTIONS.get(dataset_id)
    return Corpus(
        spec=spec,
        cards=_cards(dataset, spec),
        queries=queries,
        qrels=qrels,
        total=(dataset.metadata().get("docs") or {}).get("count"),
        checksums=digests,
        notes=[NOT_REAL_NOTE] if real and real != tuple(digests.values()) else [],
    )


def _open(dataset_id: str, spec: str) -> Any:
    try:
        dataset = ir_datasets.load(dataset_id)
    except KeyError:
        raise InputError(
            f"{spec}: ir_datasets knows no such collection: see its catalogue for the ids"
        ) from None
    for migrator in _migrators(dataset):
        if not migrator._version_file.exists() and any(map(_exists, migrator._affected_files)):
            migrator._state = "OK"
    missing = [part for part in ("docs", "queries", "qrels") if not dataset.has(part)]
    if missing:
        raise InputError(
            f"{spec}: the collection has no {' and no '.join(missing)}: choose another"
        )
    return dataset


def _migrators(part: Any) -> Iterator[Migrator]:
    if isinstance(part, Migrator):
        yield part
    for inner in getattr(part, "_constituents", ()) if not isinstance(part, Migrator) else ():
        yield from _migrators(inner)


def _exists(path: Any) -> bool:
    return path.exists()


@contextmanager
def _named_failures(spec: str) -> Iterator[None]:
    """Whatever ir_datasets raises while downloading or parsing becomes one line."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        first = (str(error).splitlines() or [""])[0][:MESSAGE_CHARACTERS]
        raise InputError(
            f"{spec}: could not be downloaded or read ({type(error).__name__}: {first}): check the "
            "network, or lay the collection's files under IR_DATASETS_HOME"
        ) from None


def _cards(dataset: Any, spec: str) -> Iterator[Card]:
    with _named_failures(spec):
        handler = dataset.docs_handler()
        is_plain = isinstance(handler, TsvDocs) and not handler._skip_first_line
        documents = _tsv(handler, spec) if is_plain else handler.docs_iter()
        for document in documents:
            yield _card(document, spec)


def _queries(dataset: Any, spec: str) -> Iterable[Any]:
    handler = dataset.queries_handler()
    return _tsv(handler, spec) if isinstance(handler, TsvQueries) else handler.queries_iter()


def _tsv(handler: TsvDocs | TsvQueries, spec: str) -> Iterator[Any]:
    """The rows of a TSV collection; only a line feed ends a row."""
    sources = handler._dlc if isinstance(handler._dlc, list) else [handler._dlc]
    width = len(handler._cls._fields)
    for source in sources:
        with source.stream() as stream:
            for number, line in enumerate(stream, start=1):
                columns = line.decode("utf-8").rstrip("\n").split("\t")
                if columns == [""]:
                    continue
                if len(columns) != width:
                    raise InputError(
                        f"{spec}: line {number} of its {handler._datatype} has {len(columns)} "
                        f"columns, not {width}: the file is damaged, fetch it again"
                    )
                yield handler._cls(*columns)


def _card(document: Any, spec: str) -> Card:
    """A document as a passage; its fields are those that its default text is made of."""
    fields = kept_fields(_text_fields(document))
    name = next((field.text for field in fields if field.field == "title"), "")
    description = " ".join(field.text for field in fields if field.field != "title")
    return Card(str(document.doc_id), name, description, fields, None, "passage", spec)


def _text_fields(document: Any) -> list[tuple[str, str]]:
    text = document.default_text()
    rest, found = text.lstrip(), []
    for field in document._fields:
        value = getattr(document, field)
        if field != "doc_id" and isinstance(value, str) and value.strip():
            if rest.startswith(value.strip()):
                found.append((field, value))
                rest = rest[len(value.strip()) :].lstrip()
    return found if not rest else [("text", text)]


def _query(query: Any, spec: str) -> Query:
    return Query(str(query.query_id), query.default_text(), (), spec)


def _queries_digest(queries: list[Query]) -> str:
    return _digest(f"{q.qid}\t{' '.join(q.text.split())}\n" for q in sorted(queries))


def _qrels_digest(qrels: list[Judgment]) -> str:
    return _digest(sorted(f"{judgment.qid}\t{judgment.id}\n" for judgment in qrels))


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("".join(chain(lines)).encode()).hexdigest()
