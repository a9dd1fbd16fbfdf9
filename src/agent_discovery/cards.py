"""The card contract (SSR, section III-B): what agents, tools and passages of any corpus become."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from agent_discovery.errors import InputError

Kind = Literal["agent", "tool", "passage"]

FIELD_TYPE = pa.struct([("field", pa.string()), ("text", pa.string())])
CARDS_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("name", pa.string()),
        ("description", pa.string()),
        ("fields", pa.list_(FIELD_TYPE)),
        ("parent", pa.string()),
        ("kind", pa.string()),
        ("source", pa.string()),
    ]
)
QUERIES_SCHEMA = pa.schema(
    [
        ("qid", pa.string()),
        ("text", pa.string()),
        ("steps", pa.list_(pa.string())),
        ("source", pa.string()),
    ]
)
QRELS_SCHEMA = pa.schema([("qid", pa.string()), ("id", pa.string()), ("grade", pa.int32())])

BATCH_CARDS = 8192


class Field(NamedTuple):
    """A piece of a card's text and the path of the card's field that it came from."""

    field: str
    text: str


class Card(NamedTuple):
    """An Agent Card or anything mapped to one; `fields` hold the searched text, in order."""

    id: str
    name: str
    description: str
    fields: tuple[Field, ...]
    parent: str | None
    kind: Kind
    source: str

    @property
    def text(self) -> str:
        """The searched text: the fields joined by one space."""
        return " ".join(field.text for field in self.fields)


class Query(NamedTuple):
    """A request; `steps` are annotated sub-requests where the source has them."""

    qid: str
    text: str
    steps: tuple[str, ...]
    source: str


class Judgment(NamedTuple):
    """A relevance judgment (qrel); grade 0 is judged not relevant."""

    qid: str
    id: str
    grade: int


def kept_fields(pairs: Iterable[tuple[str, str]]) -> tuple[Field, ...]:
    """The (path, text) pairs that have any text, as a card's fields."""
    return tuple(Field(path, text) for path, text in pairs if text.strip())


def card_batches(cards: Iterable[Card], size: int = BATCH_CARDS) -> Iterator[pa.RecordBatch]:
    """Stream cards as record batches of `CARDS_SCHEMA`, never more than `size` at once."""
    source = iter(cards)
    while rows := list(islice(source, size)):
        columns = list(zip(*rows, strict=True))
        columns[CARDS_SCHEMA.get_field_index("fields")] = [
            [field._asdict() for field in card.fields] for card in rows
        ]
        yield batch_of(columns, CARDS_SCHEMA)


def batch_of(columns: list, schema: pa.Schema) -> pa.RecordBatch:
    """A record batch; text that is not valid Unicode (a lone surrogate) is an input error."""
    try:
        arrays = [pa.array(c, t) for c, t in zip(columns, schema.types, strict=True)]
    except UnicodeEncodeError as error:
        context = error.object[max(0, error.start - 20) : error.start]
        raise InputError(
            f"text holds a lone surrogate, which is not valid Unicode, after {context!r}: mend it"
        ) from None
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def table_of(rows: list[Query] | list[Judgment], schema: pa.Schema) -> pa.Table:
    """Queries or judgments as a table."""
    columns = list(zip(*rows, strict=True)) or [[] for _ in schema]
    return pa.Table.from_batches([batch_of(columns, schema)])


def texts_of(cards: pa.RecordBatch) -> pa.StringArray:
    """Each card's searched text: its fields joined by one space. Shape (cards,)."""
    fields = cards.column("fields")
    texts = fields.flatten().field("text")
    if pc.all(pc.equal(fields.value_lengths(), 1), skip_nulls=False).as_py():
        return texts  # a collection of passages, say: a join would only copy them
    return pc.binary_join(pa.ListArray.from_arrays(_dense_offsets(fields), texts), " ")


def _dense_offsets(lists: pa.ListArray) -> pa.Array:
    """Offsets into `lists.flatten()`, which starts at 0 whatever slice `lists` is."""
    offsets = lists.offsets
    return pc.subtract(offsets, offsets[0])
