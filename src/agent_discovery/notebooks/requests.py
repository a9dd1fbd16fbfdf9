"""The requests put to Agent-as-a-Graph, for a closer look."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from agent_discovery.config import Config
from agent_discovery.evaluation.samples import relevant_cards
from agent_discovery.notebooks.graph_drilldown import GraphCase
from agent_discovery.notebooks.view import Results
from agent_discovery.retrieval.dense import cosines, unit_vectors
from agent_discovery.retrieval.embeddings import folder_of, read_vectors
from agent_discovery.retrieval.fusion import Weights
from agent_discovery.retrieval.graph import AgentGraph
from agent_discovery.retrieval.graph_methods import AGENT_AS_A_GRAPH
from agent_discovery.retrieval.graph_runs import QUESTION, STEP, Ask, asks, texts_to_embed


class Requests:
    """Questions and steps of a corpus, its graph, and one encoder's vectors."""

    def __init__(self, results: Results, corpus: str, encoder: str | None = None):
        self.folder = results.folder / "graph" / corpus
        about = results.json(f"graph/{corpus}/provenance.json")
        self.config = Config.model_validate(about["config"]).graph
        self.encoder = encoder or about["encoders"][0]["encoder"]
        self.graph = AgentGraph.read(self.folder / "nodes.parquet")
        queries = results.folder / "corpora" / f"{corpus}-graph" / "queries.parquet"
        found = asks(pq.read_table(queries), pq.read_table(self.folder / "requests.parquet"))
        self.asks = [ask for ask in found if ask.source in (QUESTION, STEP)]

    @property
    def weights(self) -> Weights:
        """The configured weights; the paper's optimum by default."""
        return Weights(self.config.agent_weight, self.config.tool_weight, self.config.rrf_k)

    @cached_property
    def relevant(self) -> dict[str, list[str]]:
        """The relevant agents of each task, by the configured labels."""
        labels = pd.read_parquet(self.folder / "labels.parquet")
        return relevant_cards(labels[labels["labels"] == self.config.labels])

    def labelled(self) -> list[Ask]:
        """The steps of labelled tasks; their questions where the corpus has no steps."""
        source = STEP if any(ask.source == STEP for ask in self.asks) else QUESTION
        return [ask for ask in self.asks if ask.source == source and ask.qid in self.relevant]

    def missed(self, k: int) -> list[Ask]:
        """Those of them for which Agent-as-a-Graph, unweighted, returned no relevant agent."""
        run = pd.read_parquet(self.folder / "runs" / "dense" / f"{folder_of(self.encoder)}.parquet")
        run = run[(run["method"] == AGENT_AS_A_GRAPH) & (run["rank"] <= k)]
        pairs = {(qid, card) for qid, cards in self.relevant.items() for card in cards}
        rows = zip(run["source"], run["qid"], run["position"], run["id"], strict=True)
        hit = {(source, qid, place) for source, qid, place, card in rows if (qid, card) in pairs}
        return [ask for ask in self.labelled() if (ask.source, ask.qid, ask.position) not in hit]

    def first_missed(self, k: int) -> Ask:
        """The first missed request with a relevant agent among the nodes, beyond K; else the first
        missed; else the first of all.
        """
        missed = self.missed(k)
        near = (ask for ask in missed if self.case(ask).near())
        return next(near, (missed or self.labelled())[0])

    def case(self, ask: Ask) -> GraphCase:
        """A request, looked at closely."""
        found = cosines(unit_vectors([ask.text], self._vectors), self._node_vectors)
        relevant = self.relevant.get(ask.qid, [])
        return GraphCase(self.graph, ask.text, found[0], relevant, self.config.nodes)

    @cached_property
    def _vectors(self) -> Mapping[str, np.ndarray]:
        path = self.folder / "vectors" / f"{folder_of(self.encoder)}.parquet"
        return read_vectors([path], texts_to_embed(self.graph, self.asks))

    @cached_property
    def _node_vectors(self) -> np.ndarray:
        return unit_vectors([node.text for node in self.graph.nodes], self._vectors)
