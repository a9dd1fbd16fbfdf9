from pathlib import Path

import pyarrow.parquet as pq

from agent_discovery.config import Graph
from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_json
from agent_discovery.retrieval.embeddings import read_vectors, recorded_files, write_vectors
from agent_discovery.retrieval.encoders import complete, described
from agent_discovery.retrieval.graph import AgentGraph
from agent_discovery.retrieval.graph_runs import asks, texts_to_embed
from agent_discovery.workflow import RECORDINGS

with one_line_errors():
    given, params = snakemake.input, snakemake.params
    wanted = asks(pq.read_table(given.queries), pq.read_table(given.requests))
    texts = texts_to_embed(AgentGraph.read(given.nodes), wanted)
    kept = Path(params.kept)
    files = [*recorded_files(RECORDINGS, params.encoder), *sorted(kept.glob("*.parquet"))]
    found = read_vectors(files, texts)
    vectors = complete(params.encoder, texts, found, Graph(**params.graph), kept)
    write_vectors(Path(snakemake.output.vectors), vectors)
    write_json(snakemake.output.about, described(params.encoder, vectors))
