"""BM25 by tantivy, written and searched by one thread."""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import tantivy

from agent_discovery.cards import texts_of
from agent_discovery.signals import tokens

HEAP_BYTES = 256 << 20


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=False, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def build(cards: Iterable[pa.RecordBatch], folder: Path) -> None:
    """Index each card's tokens in one segment."""
    folder.mkdir(parents=True)
    writer = tantivy.Index(_schema(), path=str(folder)).writer(HEAP_BYTES, num_threads=1)
    for batch in cards:
        for text in texts_of(batch).to_pylist():
            writer.add_document(tantivy.Document(text=" ".join(tokens(text))))
    writer.commit()
    writer.wait_merging_threads()


class TantivyBm25:
    """BM25 over the distinct tokens of the query, any of which may match."""

    def __init__(self, folder: Path):
        self._schema = _schema()
        self._searcher = tantivy.Index(self._schema, path=str(folder)).searcher()

    def top(self, query: str, k: int) -> list[tuple[float, object]]:
        """The first k scores and documents."""
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, "text", term, "freq"))
            for term in dict.fromkeys(tokens(query))
        ]
        return self._searcher.search(tantivy.Query.boolean_query(terms), k, count=False).hits
