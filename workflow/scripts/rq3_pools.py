from agent_discovery.config import Rq3
from agent_discovery.corpora.rq3_documents import SELECTION
from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.sides import read_side
from agent_discovery.files import write_table
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.pools import both_retrievers, make_pools

with one_line_errors():
    given, params, output = snakemake.input, snakemake.params, snakemake.output
    rq3 = Rq3(**params.rq3)
    side = read_side(
        SELECTION, given.queries, given.qrels, given.sides, given.documents, rq3.queries
    )
    index = InvertedSignalIndex(given.isi, verify=True)
    made = make_pools(
        index,
        side.registries(rq3.sizes),
        both_retrievers(index),
        max(rq3.k, *rq3.depths),
        params.tie_break,
        rq3.full_catalog_up_to,
        total=len(side.queries) * len(rq3.sizes),
    )
    write_table(output.pools, made.pools)
    write_table(output.retrieval, made.retrieval)
