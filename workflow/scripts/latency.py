from statistics import fmean

import pandas as pd
import pyarrow as pa

from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.latency import (
    LATENCY_SCHEMA,
    latency_summary,
    time_batch,
    time_queries,
)
from agent_discovery.evaluation.samples import read_sample
from agent_discovery.files import write_csv, write_table
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.methods import (
    FULL_SCAN_BATCH,
    METHODS,
    SSR_PRUNED,
    batch_searcher,
    counting,
    searcher,
)
from agent_discovery.retrieval.pruned import SsrPruned
from agent_discovery.retrieval.structural import FullScan

with one_line_errors():
    given, params = snakemake.input, snakemake.params
    sample = read_sample(given.queries, given.qrels, params.sample_size, params.sample_seed)
    index = InvertedSignalIndex(given.isi, verify=True)
    timed = {method.name: method.open(index, given.bm25) for method in METHODS.values()}
    timed[SSR_PRUNED] = SsrPruned(index)
    rows, scored = [], {}  # scored: each method's count for each query
    for name, retriever in timed.items():
        search = searcher(retriever, index, params.k, params.tie_break)
        scored[name] = {}
        answer = counting(search, scored[name])
        rows += time_queries(answer, sample, name, "retrieval", params.repeats)
    scan = batch_searcher(FullScan(index), index, params.k, params.tie_break)
    rows += time_batch(scan, sample, FULL_SCAN_BATCH, "retrieval", params.repeats)
    scored[FULL_SCAN_BATCH] = {"": index.cards}
    table = pd.DataFrame(rows, columns=LATENCY_SCHEMA.names)
    write_table(snakemake.output.rows, pa.Table.from_pandas(table, LATENCY_SCHEMA))
    summary = latency_summary(table)
    means = {name: fmean(counts.values()) for name, counts in scored.items()}
    summary.insert(3, "mean_scored", summary["method"].map(means))
    write_csv(snakemake.output.summary, summary)
