import pandas as pd

from agent_discovery.config import Intervals, Rq3
from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.rq3_tables import k_sensitivity, table4, table5
from agent_discovery.evaluation.samples import relevant_cards
from agent_discovery.evaluation.selection import outcomes, shown
from agent_discovery.evaluation.significance import power_table, summary
from agent_discovery.files import write_csv
from agent_discovery.workflow import arbiter_label, corpus_label

with one_line_errors():
    given, output = snakemake.input, snakemake.output
    rq3 = Rq3(**snakemake.params.rq3)
    intervals = Intervals(**snakemake.params.intervals)
    pools = pd.read_parquet(given.pools)
    relevant = relevant_cards(pd.read_parquet(given.qrels))
    selected = outcomes(pd.read_parquet(given.arbitration), shown(pools, rq3.k), relevant)
    tests, hits = table5(selected, intervals)
    sensitivity = k_sensitivity(
        pools,
        pd.read_parquet(given.retrieval),
        pd.read_parquet(given.depths),
        relevant,
        rq3.depths,
        intervals,
    )
    corpus, arbiter = corpus_label(given.about), arbiter_label(given.arbiter)
    for path, table in (
        (output.table4, table4(selected, intervals)),
        (output.table5, tests),
        (output.summary, summary(tests)),
        (output.power, power_table(tests)),
        (output.k_sensitivity, sensitivity),
    ):
        table.insert(0, "arbiter", arbiter)
        table.insert(0, "corpus", corpus)
        write_csv(path, table)
    hits.insert(0, "corpus", corpus)
    write_csv(output.hits, hits)
