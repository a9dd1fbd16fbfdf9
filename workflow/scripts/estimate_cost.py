import pandas as pd

from agent_discovery.arbitration.estimate import estimate
from agent_discovery.arbitration.ledger import Ledger
from agent_discovery.arbitration.task import at_depths, read_tasks, within_budgets
from agent_discovery.config import Llm
from agent_discovery.errors import one_line_errors
from agent_discovery.retrieval.pools import BM25, SSR

with one_line_errors():
    given, params = snakemake.input, snakemake.params
    llm = Llm(**params.llm)
    rows = []
    for target, ledger, k, depths, *files in zip(
        params.targets, params.ledgers, params.budgets, params.depths,
        given.queries, given.cards, given.pools, given.retrieval, strict=True,
    ):  # fmt: skip
        every = read_tasks(*files, {})
        tasks = within_budgets(every, {SSR: k, BM25: k})
        if depths:
            tasks += at_depths(every, (SSR, BM25), max(task.n for task in every), depths)
        found = estimate(tasks, llm, Ledger.read(ledger))
        rows += [{"target": target, **row._asdict()} for row in found]
    table = pd.DataFrame(rows)
    total = table.drop(columns=["target", "n", "method"]).sum()
    print(
        f"What a live run would still ask of {llm.model} (exact o200k counts; other models differ):"
    )
    print(table.to_string(index=False))
    print(f"in all: {total['calls']:,.0f} calls, {total['tokens_in']:,.0f} input tokens, "
          f"${total['cost_usd']:.4f}, at most ${total['greatest_cost_usd']:.4f}")  # fmt: skip
