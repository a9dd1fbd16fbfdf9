"""BM25 by bm25s with its numba backend: scores that are computed when it indexes."""

from collections.abc import Iterable

import bm25s
import pyarrow as pa
from bm25s.tokenization import Tokenized

from agent_discovery.cards import texts_of
from agent_discovery.retrieval.tokenizer import Interner
from agent_discovery.retrieval.vocabulary import as_strings
from agent_discovery.signals import tokens

K1, B = 1.2, 0.75  # as FTS5 has them


def build(cards: Iterable[pa.RecordBatch]) -> bm25s.BM25:
    """Index each card's tokens, in memory."""
    interner, texts = Interner(), []
    for batch in cards:
        ids, offsets = interner.tokenize(texts_of(batch))
        texts += [ids[a:b].tolist() for a, b in zip(offsets, offsets[1:], strict=False)]
    words = as_strings(*interner.words(0), pa.large_string()).to_pylist()
    vocabulary = {word: number for number, word in enumerate(words)}
    retriever = bm25s.BM25(k1=K1, b=B, backend="numba")
    retriever.index(Tokenized(texts, vocabulary), show_progress=False)
    return retriever


class Bm25s:
    """BM25 over the distinct tokens of the query."""

    def __init__(self, retriever: bm25s.BM25):
        self._retriever = retriever

    def top(self, query: str, k: int) -> object:
        """The first k cards and their scores."""
        terms = list(dict.fromkeys(tokens(query)))
        return self._retriever.retrieve([terms], k=k, show_progress=False, n_threads=1)
