"""What a target would spend, before anything is spent: from the very prompts it would send."""

from collections.abc import Iterable
from typing import NamedTuple

from agent_discovery.arbitration.ledger import Ledger
from agent_discovery.arbitration.prompt import messages_for
from agent_discovery.arbitration.request import call_key, greatest_cost_usd, request_body
from agent_discovery.arbitration.task import Task
from agent_discovery.arbitration.tokens import chat_tokens, cost_usd, count
from agent_discovery.config import Llm


class Estimate(NamedTuple):
    """Calls, tokens and US dollars of one (n, method); only calls that are still to be asked.

    tokens_in is the exact o200k count (other models count otherwise), tokens_out what an answer
    takes; cost_usd prices these, greatest_cost_usd prices the most that could be billed.
    Calls beyond the context window are counted apart: they are refused and cost nothing.
    """

    n: int
    method: str
    tasks: int
    recorded: int
    beyond_context: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float
    greatest_cost_usd: float


def estimate(tasks: Iterable[Task], llm: Llm, ledger: Ledger) -> list[Estimate]:
    """One Estimate for each (n, method), sorted; identical prompts are asked and counted once."""
    sums: dict[tuple[int, str], list[float]] = {}
    seen: set[str] = set()
    for task in tasks:
        total = sums.setdefault((task.n, task.method), [0] * (len(Estimate._fields) - 2))
        for place, value in enumerate(_of_task(task, llm, ledger, seen)):
            total[place] += value
    return [Estimate(*key, *sums[key]) for key in sorted(sums)]


def _of_task(task: Task, llm: Llm, ledger: Ledger, seen: set[str]) -> tuple[float, ...]:
    """A task's part in each of the sums, in the order of Estimate's fields."""
    nothing = (0, 0, 0, 0.0, 0.0)
    if not task.candidates:
        return (1, 0, 0, *nothing)
    messages = messages_for(task.query, task.candidates, llm.prompt)
    request = request_body(llm, llm.model, messages)
    call = call_key(request)
    if call in seen or ledger.replayed(call):
        return (1, 1, 0, *nothing)
    seen.add(call)
    tokens_in = chat_tokens(request["messages"])
    if tokens_in + llm.max_output_tokens > llm.context_window:
        return (1, 0, 1, *nothing)
    tokens_out = answer_tokens(len(task.candidates))
    usd = cost_usd(tokens_in, tokens_out, llm.input_price, llm.output_price)
    return (1, 0, 0, 1, tokens_in, tokens_out, usd, greatest_cost_usd(request, llm))


def answer_tokens(pool_size: int) -> int:
    """The tokens of the plainest answer that selects the last of the pool."""
    return count(f'{{"selected_index": {pool_size}}}')
