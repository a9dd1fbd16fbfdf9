import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.samples import relevant_cards
from agent_discovery.files import write_csv
from agent_discovery.robustness.tables import choice_table
from agent_discovery.workflow import arbiter_label

with one_line_errors():
    given = snakemake.input
    records = pd.concat([pd.read_parquet(path) for path in given.records], ignore_index=True)
    relevant = relevant_cards(pd.read_parquet(given.qrels))
    table = choice_table(records, pd.read_parquet(given.pools), relevant)
    table.insert(0, "arbiter", arbiter_label(given.arbiter))
    write_csv(snakemake.output[0], table)
