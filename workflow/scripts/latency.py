import pandas as pd
import pyarrow as pa

from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.latency import LATENCY_SCHEMA, latency_summary, time_queries
from agent_discovery.evaluation.samples import selected_queries
from agent_discovery.files import write_csv, write_table
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.methods import METHODS, searcher

with one_line_errors():
    params = snakemake.params
    queries = pd.read_parquet(snakemake.input.queries)
    qrels = pd.read_parquet(snakemake.input.qrels)
    sample = selected_queries(queries, qrels, (params.sample_size, params.sample_seed))
    index = InvertedSignalIndex(snakemake.input.isi, verify=True)
    rows = []
    for method in METHODS.values():
        search = searcher(
            method.open(index, snakemake.input.fts), index, params.k, params.tie_break
        )
        rows += time_queries(search, sample, method.name, "retrieval", params.repeats)
    table = pd.DataFrame(rows, columns=LATENCY_SCHEMA.names)
    write_table(snakemake.output.rows, pa.Table.from_pandas(table, LATENCY_SCHEMA))
    write_csv(snakemake.output.summary, latency_summary(table))
