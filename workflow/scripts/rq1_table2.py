import pandas as pd

from agent_discovery.config import Intervals
from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.samples import relevant_cards
from agent_discovery.evaluation.selection import call_rates, outcomes, selection_table, with_savings
from agent_discovery.files import write_csv
from agent_discovery.retrieval.pools import FULL_CATALOG
from agent_discovery.workflow import arbiter_label

with one_line_errors():
    given = snakemake.input
    table = outcomes(
        pd.read_parquet(given.arbitration),
        pd.read_parquet(given.pools),
        relevant_cards(pd.read_parquet(given.qrels)),
    )
    table2 = selection_table(table, Intervals(**snakemake.params.intervals))
    table2 = with_savings(table2, FULL_CATALOG)
    table2.insert(0, "arbiter", arbiter_label(given.arbiter))
    write_csv(snakemake.output.table2, table2)
    write_csv(snakemake.output.calls, pd.DataFrame([call_rates(table)]))
