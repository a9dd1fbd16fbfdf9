"""A side of RQ3 (end-to-end selection, validation or test), read back from the files of a run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from agent_discovery.corpora.registries import Registry, growth_order, query_registries
from agent_discovery.evaluation.samples import relevant_cards, texts_of_queries


@dataclass(frozen=True)
class Side:
    """Queries as (qid, text) in the order drawn, their relevant cards, and the documents that
    their registries draw from, with the seed that draws them."""

    queries: Sequence[tuple[str, str]]
    relevant: Mapping[str, Sequence[str]]
    documents: Sequence[str]
    seed: int

    def registries(self, sizes: Sequence[int]) -> Iterator[Registry]:
        """The registry of each query at each size."""
        return query_registries(
            self.queries, self.relevant, self.documents, sizes, self.seed, "rq3"
        )

    def growth(self) -> Iterator[tuple[str, list[str]]]:
        """Each query's text, and its documents in the order in which its registry grows."""
        for qid, text in self.queries:
            yield text, growth_order(self.documents, qid, self.relevant[qid], self.seed)


def read_side(
    name: str,
    queries: str | Path,
    qrels: str | Path,
    sides: str | Path,
    documents: str | Path,
    most: int | None = None,
) -> Side:
    """Read a side from Parquet files; most: queries, from the first. No query at all is no error.

    queries and qrels are the corpus's; sides and documents as `corpora.rq3_documents` writes them.
    """
    drawn = pd.read_parquet(sides)
    drawn = drawn[drawn["side"] == name]
    relevant = relevant_cards(pd.read_parquet(qrels))
    texts = texts_of_queries(pd.read_parquet(queries), drawn["qid"][:most])
    if drawn.empty:
        return Side([], relevant, [], 0)
    seed = int(drawn["seed"].iloc[0])
    cards = pd.read_parquet(documents)
    return Side(texts, relevant, cards.loc[cards["seed"] == seed, "id"].tolist(), seed)
