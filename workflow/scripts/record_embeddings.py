from pathlib import Path

import pyarrow.parquet as pq

from agent_discovery.errors import one_line_errors
from agent_discovery.retrieval.embeddings import BATCH_TEXTS, checked, record
from agent_discovery.retrieval.encoders import LOCAL_MODELS, about, local_or_told
from agent_discovery.retrieval.graph import AgentGraph
from agent_discovery.retrieval.graph_runs import asks, texts_to_embed

SMALL = "all-MiniLM-L6-v2"  # of the other sets only its vectors ship, for their size

with one_line_errors():
    given, params = snakemake.input, snakemake.params
    sets = list(zip(params.corpora, given.nodes, given.queries, given.requests, strict=True))
    for encoder in LOCAL_MODELS:
        for corpus, nodes, queries, requests in sets if encoder == SMALL else sets[:1]:
            wanted = asks(pq.read_table(queries), pq.read_table(requests))
            texts = texts_to_embed(AgentGraph.read(nodes), wanted)
            encode = local_or_told(encoder, texts, Path(params.models))
            texts.sort(key=len)  # a batch of like lengths is the quickest
            vectors = {}
            for start in range(0, len(texts), BATCH_TEXTS):
                batch = texts[start : start + BATCH_TEXTS]
                vectors |= dict(zip(batch, checked(encode(batch), batch), strict=True))
            record(Path(params.recordings), encoder, corpus, vectors, about(encoder))
            print(f"{encoder}, {corpus}: {len(vectors):,} vectors", flush=True)
