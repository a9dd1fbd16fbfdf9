import pandas as pd

from agent_discovery.config import Rq3
from agent_discovery.corpora.rq3_documents import TEST, VALIDATION
from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.depth import first_hits
from agent_discovery.evaluation.sides import read_side
from agent_discovery.files import write_csv
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.pools import both_retrievers, make_pools

with one_line_errors():
    given, params = snakemake.input, snakemake.params
    rq3 = Rq3(**params.rq3)
    index = InvertedSignalIndex(given.isi, verify=True)
    retrievers = both_retrievers(index)
    sizes = [max(rq3.sizes)]
    found = []
    for name in (VALIDATION, TEST):
        side = read_side(name, given.queries, given.qrels, given.sides, given.documents)
        made = make_pools(
            index,
            side.registries(sizes),
            retrievers,
            max(rq3.depths),
            params.tie_break,
            total=len(side.queries),
        )
        hits = first_hits(made.pools.to_pandas(), made.retrieval.to_pandas(), side.relevant)
        found.append(hits.assign(side=name))
    write_csv(snakemake.output[0], pd.concat(found))
