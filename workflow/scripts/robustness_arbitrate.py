import pandas as pd
import pyarrow as pa

from agent_discovery.arbitration.prompt import Candidate
from agent_discovery.config import Llm
from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_json, write_table
from agent_discovery.robustness.choice import choice_tasks, choose

with one_line_errors():
    given, params, output = snakemake.input, snakemake.params, snakemake.output
    queries = pd.read_parquet(given.queries)
    shown = pd.read_parquet(given.cards, columns=list(Candidate._fields))
    tasks = choice_tasks(
        dict(zip(queries["qid"], queries["text"], strict=True)),
        (Candidate(*card) for card in shown.itertuples(index=False)),
        pd.read_parquet(given.pools),
        params.settings["k"],
        params.settings["arbitrated_methods"],
        params.settings["arbitrated_kinds"],
    )
    records, facts = choose(tasks, Llm(**params.llm), snakemake.wildcards.prompt, params.ledger)
    write_table(output.records, pa.Table.from_pandas(records, preserve_index=False))
    write_json(output.arbiter, facts)
