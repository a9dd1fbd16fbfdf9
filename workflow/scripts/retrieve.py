import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.samples import relevant_cards, selected_queries
from agent_discovery.files import write_table
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.methods import METHODS, retrieve
from agent_discovery.retrieval.trec import write_trec

with one_line_errors():
    params, output = snakemake.params, snakemake.output
    queries = pd.read_parquet(snakemake.input.queries)
    qrels = pd.read_parquet(snakemake.input.qrels)
    sample = (params.sample_size, params.sample_seed) if params.sample_only else None
    index = InvertedSignalIndex(snakemake.input.isi, verify=True)
    retrieved = retrieve(
        METHODS[snakemake.wildcards.method].open(index, snakemake.input.bm25),
        index,
        selected_queries(queries, qrels, sample),
        relevant_cards(qrels),
        params.k,
        params.tie_break,
    )
    write_table(output.run, retrieved.run)
    write_table(output.candidates, retrieved.candidates)
    write_table(output.ties, retrieved.ties)
    write_trec(output.trec, retrieved.run, snakemake.wildcards.method)
