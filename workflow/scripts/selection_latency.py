import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.latency import end_to_end, latency_summary
from agent_discovery.files import write_csv

with one_line_errors():
    given = snakemake.input
    times = end_to_end(pd.read_parquet(given.retrieval), pd.read_parquet(given.arbitration))
    write_csv(snakemake.output[0], latency_summary(times, ["n", "method", "stage"]))
