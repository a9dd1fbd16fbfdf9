from functools import partial

from agent_discovery.arbitration.arbitrate import arbitrate
from agent_discovery.arbitration.task import alternating, read_tasks, shuffled
from agent_discovery.config import Llm
from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_json, write_table
from agent_discovery.retrieval.pools import BM25, SSR

with one_line_errors():
    given, params, output = snakemake.input, snakemake.params, snakemake.output
    budgets = {SSR: params.k, BM25: params.k}
    tasks = read_tasks(given.queries, given.cards, given.pools, given.retrieval, budgets)
    seed = params.method_order_seed
    in_order = alternating if seed is None else partial(shuffled, seed=seed)
    done = arbitrate(tasks, Llm(**params.llm), params.ledger, in_order)
    write_table(output.arbitration, done.records)
    write_json(output.arbiter, done.facts)
    write_table(output.latency, done.latency)
