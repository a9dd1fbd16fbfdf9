import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.samples import relevant_cards
from agent_discovery.evaluation.sides import Side
from agent_discovery.files import write_csv, write_table
from agent_discovery.robustness.registries import drawn, ids_by_query, robustness_pools
from agent_discovery.robustness.tables import reach_table
from agent_discovery.workflow import corpus_label

with one_line_errors():
    given, output = snakemake.input, snakemake.output
    settings, tie_break = snakemake.params.settings, snakemake.params.tie_break
    qrels = pd.read_parquet(given.qrels)
    seed = settings["seed"]
    queries, _ = drawn(pd.read_parquet(given.queries), qrels, settings["queries"], seed)
    qids = [qid for qid, _ in queries]
    documents = pd.read_parquet(given.honest, columns=["id"])["id"].tolist()
    side = Side(queries, relevant_cards(qrels), documents, seed)
    pools = robustness_pools(
        list(side.registries([settings["n"] or len(documents)])),
        ids_by_query(pd.read_parquet(given.plants), qids),
        given.capped,
        given.uncapped,
        settings["k"],
        tie_break,
        settings["n"] or 0,
        seed,
    )
    write_table(output.pools, pools)
    table = reach_table(pools.to_pandas(), qids, side.relevant)
    table.insert(0, "corpus", corpus_label(given.about))
    write_csv(output.reach, table)
