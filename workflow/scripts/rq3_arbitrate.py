from functools import partial

from agent_discovery.arbitration.arbitrate import arbitrate
from agent_discovery.arbitration.task import read_tasks, shuffled
from agent_discovery.config import Llm, Rq3
from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_json, write_table
from agent_discovery.retrieval.pools import BM25, SSR

with one_line_errors():
    given, params, output = snakemake.input, snakemake.params, snakemake.output
    rq3 = Rq3(**params.rq3)
    budgets = {SSR: rq3.k, BM25: rq3.k}
    tasks = read_tasks(given.queries, given.cards, given.pools, given.retrieval, budgets)
    in_order = partial(shuffled, seed=rq3.seed)
    done = arbitrate(tasks, Llm(**params.llm), params.ledger, in_order)
    write_table(output.arbitration, done.records)
    write_json(output.arbiter, done.facts)
    write_table(output.latency, done.latency)
