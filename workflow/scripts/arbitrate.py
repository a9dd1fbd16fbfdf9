from agent_discovery.arbitration.arbitrate import arbitrate
from agent_discovery.arbitration.task import read_tasks
from agent_discovery.config import Llm
from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_json, write_table
from agent_discovery.retrieval.pools import SSR

with one_line_errors():
    given, params, output = snakemake.input, snakemake.params, snakemake.output
    tasks = read_tasks(given.queries, given.cards, given.pools, given.retrieval, {SSR: params.k})
    done = arbitrate(tasks, Llm(**params.llm), params.ledger)
    write_table(output.arbitration, done.records)
    write_json(output.arbiter, done.facts)
    write_table(output.latency, done.latency)
