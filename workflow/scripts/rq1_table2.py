import json

import pandas as pd

from agent_discovery.config import Intervals
from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.latency import end_to_end, latency_summary
from agent_discovery.evaluation.samples import relevant_cards
from agent_discovery.evaluation.selection import call_rates, outcomes, selection_table, with_savings
from agent_discovery.files import write_csv
from agent_discovery.retrieval.pools import FULL_CATALOG

with one_line_errors():
    given = snakemake.input
    with open(given.arbiter, encoding="utf-8") as stream:
        arbiter = json.load(stream)
    table = outcomes(
        pd.read_parquet(given.arbitration),
        pd.read_parquet(given.pools),
        relevant_cards(pd.read_parquet(given.qrels)),
    )
    table2 = selection_table(table, Intervals(**snakemake.params.intervals))
    table2 = with_savings(table2, FULL_CATALOG)
    stand_in = " (stand-in)" if arbiter["stand_in"] else ""
    table2.insert(0, "arbiter", f"{arbiter['model']}{stand_in}")
    write_csv(snakemake.output.table2, table2)
    write_csv(snakemake.output.calls, call_rates(table))
    times = end_to_end(pd.read_parquet(given.retrieval), pd.read_parquet(given.latency))
    write_csv(snakemake.output.latency, latency_summary(times, ["n", "method", "stage"]))
