from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from agent_discovery.card_store import CardStore
from agent_discovery.config import Graph
from agent_discovery.corpora.graph_data import PRIMARY
from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_csv
from agent_discovery.retrieval.embeddings import read_vectors
from agent_discovery.retrieval.graph import AgentGraph
from agent_discovery.retrieval.graph_runs import asks, texts_to_embed
from agent_discovery.robustness.claims import claim_runs, claims_table

with one_line_errors():
    given, params = snakemake.input, snakemake.params
    graph = Graph(**params.graph)
    store = CardStore(given.cards)
    cards = [card for _, card in store.cards(range(len(store)))]
    wanted = asks(pq.read_table(given.queries), pq.read_table(given.requests))
    texts = texts_to_embed(AgentGraph.from_cards(cards), wanted)
    vectors = {
        encoder: read_vectors([Path(path)], texts)
        for encoder, path in zip(params.encoders, given.vectors, strict=True)
    }
    runs = claim_runs(cards, wanted, vectors, graph, params.tie_break, params.max_signals)
    labels = pd.read_parquet(given.labels)
    table = claims_table(runs, labels[labels["labels"] == PRIMARY], graph)
    write_csv(snakemake.output[0], table)
