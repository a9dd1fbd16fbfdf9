from pathlib import Path

import pyarrow.parquet as pq

from agent_discovery.config import Graph
from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_table
from agent_discovery.retrieval.embeddings import read_vectors
from agent_discovery.retrieval.graph import AgentGraph
from agent_discovery.retrieval.graph_runs import asks, dense_runs, texts_to_embed

with one_line_errors():
    given, params = snakemake.input, snakemake.params
    graph = AgentGraph.read(given.nodes)
    wanted = asks(pq.read_table(given.queries), pq.read_table(given.requests))
    vectors = read_vectors([Path(given.vectors)], texts_to_embed(graph, wanted))
    runs = dense_runs(graph, wanted, vectors, params.encoder, Graph(**params.graph))
    write_table(snakemake.output.agents, runs.agents)
    write_table(snakemake.output.nodes, runs.nodes)
