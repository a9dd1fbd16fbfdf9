import pandas as pd

from agent_discovery.config import Rq1
from agent_discovery.corpora.registries import query_registries
from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.samples import relevant_cards, selected_queries
from agent_discovery.files import write_table
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.pools import SSR, make_pools
from agent_discovery.retrieval.within import SsrWithin

with one_line_errors():
    params, output = snakemake.params, snakemake.output
    rq1 = Rq1(**params.rq1)
    qrels = pd.read_parquet(snakemake.input.qrels)
    queries = selected_queries(pd.read_parquet(snakemake.input.queries), qrels, None)
    index = InvertedSignalIndex(snakemake.input.isi, verify=True)
    registries = query_registries(
        queries[: params.queries],
        relevant_cards(qrels),
        sorted(index.id_of(card) for card in range(index.cards)),
        rq1.sizes,
        rq1.seed,
        "rq1",
    )
    retrievers = {SSR: SsrWithin(index)}
    made = make_pools(
        index, registries, retrievers, rq1.k, params.tie_break, rq1.full_catalog_up_to
    )
    write_table(output.pools, made.pools)
    write_table(output.retrieval, made.retrieval)
