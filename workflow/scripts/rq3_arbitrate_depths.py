from functools import partial

from agent_discovery.arbitration.arbitrate import arbitrate
from agent_discovery.arbitration.task import at_depths, read_tasks, shuffled
from agent_discovery.config import Llm, Rq3
from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_table
from agent_discovery.retrieval.pools import BM25, SSR

with one_line_errors():
    given, params = snakemake.input, snakemake.params
    rq3 = Rq3(**params.rq3)
    every = read_tasks(given.queries, given.cards, given.pools, given.retrieval, {})
    tasks = at_depths(every, (SSR, BM25), max(rq3.sizes), rq3.where_the_llm_selects())
    in_order = partial(shuffled, seed=rq3.seed)
    done = arbitrate(tasks, Llm(**params.llm), params.ledger, in_order)
    write_table(snakemake.output[0], done.records)
