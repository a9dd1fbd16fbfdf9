"""The queries of a run, for a closer look: which were missed, and each one's registry and call."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from agent_discovery.card_store import CardStore
from agent_discovery.config import Config
from agent_discovery.corpora.registries import query_registries
from agent_discovery.corpora.rq3_documents import SELECTION
from agent_discovery.evaluation.samples import relevant_cards, relevant_pairs
from agent_discovery.evaluation.selection import outcomes, shown
from agent_discovery.evaluation.sides import read_side
from agent_discovery.notebooks.drilldown import Case, members_of, whole
from agent_discovery.notebooks.exchange import Exchange, exchange
from agent_discovery.notebooks.view import Results
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.workflow import ledger_path


class Queries:
    """The queries of a corpus, and the index that their registries are part of.

    folder: of the research question's results; cards and index: where they lie.
    """

    def __init__(self, results: Results, rq: str, corpus: str, cards: Path, index: Path):
        self.results, self.rq, self.corpus = results, rq, corpus
        self.folder = results.folder / rq / corpus
        self.config = Config.model_validate(
            results.json(f"{rq}/{corpus}/provenance.json")["config"]
        )
        self.cards, self.index = cards, InvertedSignalIndex(index)
        self.store = CardStore(cards)

    @property
    def _corpora(self) -> Path:
        return self.results.folder / "corpora" / self.corpus

    @cached_property
    def texts(self) -> dict[str, str]:
        """The text of each query."""
        queries = pd.read_parquet(self._corpora / "queries.parquet")
        return dict(zip(queries["qid"], queries["text"], strict=True))

    @cached_property
    def relevant(self) -> dict[str, list[str]]:
        """The relevant cards of each query, in the order of the judgments."""
        return relevant_cards(pd.read_parquet(self._corpora / "qrels.parquet"))

    def _case(self, qid: str, members: np.ndarray) -> Case:
        return Case(
            self.index,
            self.store,
            qid,
            self.texts[qid],
            self.relevant[qid],
            members,
            self.config.tie_break,
        )


class RetrievedQueries(Queries):
    """RQ2's: every query was put to the whole corpus."""

    def __init__(self, results: Results, corpus: str):
        cards = results.folder / "corpora" / corpus / "cards.parquet"
        super().__init__(results, "rq2", corpus, cards, results.folder / "index" / corpus / "isi")

    def case(self, qid: str) -> Case:
        """A query, looked at closely."""
        return self._case(qid, whole(self.index))

    def first(self, found_by: str, missed_by: str) -> str:
        """The first query that one method answers in its first K and another does not; the first of
        all where there is none. Methods are file names of `runs/`.
        """
        wanted = self._hits(found_by) - self._hits(missed_by)
        return next((qid for qid in self.relevant if qid in wanted), next(iter(self.relevant)))

    def _hits(self, method: str) -> set[str]:
        run = pd.read_parquet(self.folder / "runs" / f"{method}.parquet", columns=["qid", "id"])
        return set(run.merge(relevant_pairs(self.relevant), on=["qid", "id"])["qid"])


class SelectedQueries(Queries):
    """RQ1's or RQ3's: each query has registries of its own, and an arbiter selects."""

    @classmethod
    def of_rq1(cls, results: Results, corpus: str) -> "SelectedQueries":
        """Those of the benchmark's corpora."""
        cards = results.folder / "corpora" / corpus / "cards.parquet"
        return cls(results, "rq1", corpus, cards, results.folder / "index" / corpus / "isi")

    @classmethod
    def of_rq3(cls, results: Results, corpus: str) -> "SelectedQueries":
        """Those of the sample."""
        documents = results.folder / "rq3" / corpus / "documents"
        return cls(results, "rq3", corpus, documents / "cards.parquet", documents / "isi")

    def case(self, qid: str, n: int) -> Case:
        """A query and its registry of n cards, looked at closely."""
        return self._case(qid, members_of(self.index, self._registry(qid, n)))

    def _registry(self, qid: str, n: int) -> Sequence[str]:
        """The ids of the query's registry of n cards, drawn as the run drew it."""
        relevant, documents, seed = self._drawn_from
        query = [(qid, self.texts[qid])]
        [registry] = query_registries(query, relevant, documents, [n], seed, self.rq)
        return registry.ids

    @cached_property
    def _drawn_from(self) -> tuple[Mapping[str, Sequence[str]], Sequence[str], int]:
        """Relevant cards by query, the cards that registries are drawn from, and the seed."""
        if self.rq == "rq1":
            ids = sorted(self.index.id_of(card) for card in range(self.index.cards))
            return self.relevant, ids, self.config.rq1.seed
        corpora, documents = self._corpora, self.folder / "documents"
        side = read_side(
            SELECTION,
            corpora / "queries.parquet",
            corpora / "qrels.parquet",
            documents / "sides.parquet",
            documents / "documents.parquet",
        )
        return side.relevant, side.documents, side.seed

    @cached_property
    def outcomes(self) -> pd.DataFrame:
        """What each selection was worth, a row a (qid, n, method): `evaluation.selection`."""
        pools = shown(pd.read_parquet(self.folder / "pools.parquet"), self.k)
        return outcomes(pd.read_parquet(self.folder / "arbitration.parquet"), pools, self.relevant)

    @property
    def k(self) -> int:
        """The budget K."""
        return getattr(self.config, self.rq).k

    def first(self, n: int, method: str, recall: bool, selected: bool) -> str:
        """The first query whose target was, or was not, a candidate (recall), and was selected, or
        not; the first of all where there is none.
        """
        rows = self.outcomes
        rows = rows[(rows["n"] == n) & (rows["method"] == method)]
        wanted = (rows["candidate_recall"] == recall) & (rows["end_to_end_accuracy"] == selected)
        return (rows[wanted] if wanted.any() else rows)["qid"].iloc[0]

    def exchange(self, qid: str, n: int, method: str) -> Exchange:
        """What the arbiter saw and said."""
        llm, root = self.config.llm, self.results.folder.parents[1]
        model = self.results.json(f"{self.rq}/{self.corpus}/arbiter.json")["model"]
        ledger = root / ledger_path(self.rq, self.corpus, self.config)
        key = (qid, n, method)
        return exchange(self.folder, self.cards, self.texts[qid], key, llm, model, ledger)
