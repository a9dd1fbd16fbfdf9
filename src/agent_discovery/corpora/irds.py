"""`irds:ID`: any ir_datasets collection with documents, queries and judgments, as a stream.

Files already under IR_DATASETS_HOME are used as they are. Two habits of ir_datasets are kept off:
it deletes a collection that lacks its own version mark, and it reads TSV with universal newlines,
so that a lone carriage return breaks a passage in two.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import ir_datasets
from ir_datasets.formats import TsvDocs, TsvQueries
from ir_datasets.util import Migrator

from agent_discovery.cards import Card, Judgment, Query, kept_fields
from agent_discovery.corpora.corpus import Corpus
from agent_discovery.corpora.generated import MARK, GeneratedMark, check_whole, read_mark
from agent_discovery.corpora.readers import checked_grade
from agent_discovery.errors import InputError

MESSAGE_CHARACTERS = 200

MSMARCO_DEV_SMALL = "msmarco-passage/dev/small"
# Digests of the queries and of the judgments of the collection that was published on.
REAL_COLLECTIONS = {
    MSMARCO_DEV_SMALL: {
        "queries": "ad5f7dcc9575ed61cc7e7f71f57f774196b0e4d95d0e652774187ecfe0b8eeab",
        "qrels": "ae13d86048be592797b2503418f0fc30b7e3accf0f485136089b76e20cb72506",
    }
}
NOT_REAL_NOTE = "this is not the real collection of that id: its queries or judgments differ"
# Cranfield's codes run from 1, a complete answer, to 4; -1 marks the paper that a query came from.
GRADE_OF = {"cranfield": lambda code: 5 - code if code > 0 else 0}


def load_irds(dataset_id: str) -> Corpus:
    """Open a collection; its documents are read when the corpus's cards are iterated.

    Raises InputError when the id is unknown, or the collection cannot be downloaded or read.
    """
    spec = f"irds:{dataset_id}"
    with _named_failures(spec):
        dataset = _open(dataset_id, spec)
        mark = _generated_mark(dataset_id, spec)
        queries = [_query(query, spec) for query in _queries(dataset, spec)]
        grade_of = GRADE_OF.get(dataset_id, int)
        judged = (_judgment(qrel, grade_of, spec) for qrel in dataset.qrels_iter())
        qrels = list(dict.fromkeys(judged))
        digests = {"queries": _queries_digest(queries), "qrels": _qrels_digest(qrels)}
    is_real = mark is None and REAL_COLLECTIONS.get(dataset_id, digests) == digests
    note = mark.note if mark else NOT_REAL_NOTE
    return Corpus(
        spec=spec,
        cards=_cards(dataset, spec),
        queries=queries,
        qrels=qrels,
        total=mark.passages if mark else (dataset.metadata().get("docs") or {}).get("count"),
        checksums=digests,
        notes=[] if is_real else [note],
        real=is_real,
    )


def _open(dataset_id: str, spec: str) -> Any:
    try:
        dataset = ir_datasets.load(dataset_id)
    except KeyError:
        raise InputError(
            f"{spec}: ir_datasets knows no such collection: see its catalogue for the ids"
        ) from None
    _keep_files(dataset)
    missing = [part for part in ("docs", "queries", "qrels") if not dataset.has(part)]
    if missing:
        raise InputError(
            f"{spec}: the collection has no {' and no '.join(missing)}: choose another"
        )
    return dataset


def _generated_mark(dataset_id: str, spec: str) -> GeneratedMark | None:
    """The mark of a generated collection, all of which must be there.

    What is missing would be downloaded, and real queries be asked of generated passages.
    """
    folder = _home(dataset_id)
    try:
        mark = read_mark(folder)
        if mark:
            check_whole(mark, folder)
    except InputError as error:
        raise InputError(f"{spec}: {error}") from None
    return mark


def _home(dataset_id: str) -> Path:
    return Path(ir_datasets.util.home_path()) / dataset_id.partition("/")[0]


def marks(dataset_id: str) -> list[str]:
    """The file that marks a collection as generated, if there is one: it tells one from another."""
    mark = _home(dataset_id) / MARK
    return [str(mark)] if mark.is_file() else []


def _keep_files(dataset: Any) -> None:
    """Tell what would delete files that lack its mark, or have it with a line end, not to."""
    for part in _parts(dataset, set()):
        if isinstance(part, Migrator) and any(map(os.path.exists, part._affected_files)):
            mark = part._version_file
            if not mark.exists() or mark.read_text(encoding="utf-8").strip() == part._version:
                part._state = "OK"


def _parts(part: Any, seen: set[int]) -> Iterator[Any]:
    """`part` and every object of ir_datasets that it is made of, each once."""
    if id(part) in seen or not type(part).__module__.startswith("ir_datasets."):
        return
    seen.add(id(part))
    yield part
    for value in vars(part).values():
        for inner in value if isinstance(value, list) else [value]:
            yield from _parts(inner, seen)


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
        documents = _tsv(handler, spec) if _is_plain_tsv(handler) else handler.docs_iter()
        for document in documents:
            yield _card(document, spec)


def _queries(dataset: Any, spec: str) -> Iterable[Any]:
    handler = dataset.queries_handler()
    return _tsv(handler, spec) if _is_plain_tsv(handler) else handler.queries_iter()


def _is_plain_tsv(handler: Any) -> bool:
    """Whether every line is a row of so many columns (some have a header or a list at the end)."""
    if type(handler) not in (TsvDocs, TsvQueries) or handler._skip_first_line:
        return False
    return all(kind is str for kind in handler._cls.__annotations__.values())


def _tsv(handler: TsvDocs | TsvQueries, spec: str) -> Iterator[Any]:
    """The rows of a TSV collection; only a line feed ends a row."""
    sources = handler._dlc if isinstance(handler._dlc, list) else [handler._dlc]
    width = len(handler._cls._fields)
    for source in sources:
        with source.stream() as stream:
            for number, line in enumerate(stream, start=1):
                where = f"{spec}: line {number} of its {handler._datatype}"
                columns = _decoded(line, where).removesuffix("\n").split("\t")
                if columns == [""]:
                    continue
                if len(columns) != width:
                    raise InputError(
                        f"{where} has {len(columns)} columns, not {width}: the file is damaged, "
                        "fetch it again"
                    )
                yield handler._cls(*columns)


def _decoded(line: bytes, where: str) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{where} is not UTF-8: the file is damaged, fetch it again") from None


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
        if field == "doc_id" or not isinstance(value, str) or not value.strip():
            continue
        if rest.startswith(value.strip()):
            found.append((field, value))
            rest = rest[len(value.strip()) :].lstrip()
    return found if not rest else [("text", text)]


def _query(query: Any, spec: str) -> Query:
    return Query(str(query.query_id), query.default_text(), (), spec)


def _judgment(qrel: Any, grade_of: Callable[[int], int], spec: str) -> Judgment:
    grade = checked_grade(grade_of(int(qrel.relevance)), spec)
    return Judgment(str(qrel.query_id), str(qrel.doc_id), grade)


def _queries_digest(queries: list[Query]) -> str:
    return _digest(f"{q.qid}\t{' '.join(q.text.split())}\n" for q in sorted(queries))


def _qrels_digest(qrels: list[Judgment]) -> str:
    return _digest(sorted(f"{judgment.qid}\t{judgment.id}\n" for judgment in qrels))


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("".join(chain(lines)).encode()).hexdigest()
