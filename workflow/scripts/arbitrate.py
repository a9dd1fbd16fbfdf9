import pandas as pd

from agent_discovery.arbitration.arbitrate import arbitrate
from agent_discovery.arbitration.prompt import Candidate
from agent_discovery.arbitration.task import tasks_of
from agent_discovery.config import Llm
from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_json, write_table
from agent_discovery.retrieval.pools import SSR

CONDITION = ["qid", "n", "method"]

with one_line_errors():
    params, output = snakemake.params, snakemake.output
    queries = pd.read_parquet(snakemake.input.queries).set_index("qid")["text"]
    cards = pd.read_parquet(snakemake.input.cards, columns=list(Candidate._fields))
    conditions = pd.read_parquet(snakemake.input.retrieval, columns=CONDITION)
    pools = pd.read_parquet(snakemake.input.pools).groupby(CONDITION)["id"].agg(list)
    tasks = tasks_of(
        conditions.itertuples(index=False, name=None),
        pools.to_dict(),
        queries.to_dict(),
        {card.id: Candidate(*card) for card in cards.itertuples(index=False)},
        {SSR: params.k},
    )
    done = arbitrate(tasks, Llm(**params.llm), params.ledger)
    write_table(output.arbitration, done.records)
    write_json(output.arbiter, done.facts)
    write_table(output.latency, done.latency)
