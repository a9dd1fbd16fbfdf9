"""What a recorded call means for its task: rows of the `arbitration` and `latency` contracts."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from agent_discovery.arbitration.answer import read_answer
from agent_discovery.arbitration.ledger_record import FAILURE, REFUSAL, Record
from agent_discovery.arbitration.task import Task
from agent_discovery.arbitration.tokens import cost_usd, estimated_tokens
from agent_discovery.config import Llm

OK, PARSE_FAILURE, API_FAILURE = "ok", "parse_failure", "api_failure"
NO_CANDIDATES = "no_candidates"
PROVIDER, ESTIMATE, NO_TOKENS = "provider", "estimate", "none"
PROMPT_STAGE, LLM_STAGE, FAILURE_STAGE = "prompt", "llm", "failure"

ARBITRATION_SCHEMA = pa.schema(
    [
        ("qid", pa.string()),
        ("n", pa.int32()),
        ("method", pa.string()),
        ("k", pa.int32()),
        ("pool_size", pa.int32()),
        ("selected_position", pa.int32()),
        ("selected_id", pa.string()),
        ("outcome", pa.string()),
        ("tokens_in", pa.int64()),
        ("tokens_out", pa.int64()),
        ("token_source", pa.string()),
        ("cost_usd", pa.float64()),
        ("call", pa.string()),
    ]
)
ARBITRATION_LATENCY_SCHEMA = pa.schema(
    [
        ("qid", pa.string()),
        ("n", pa.int32()),
        ("method", pa.string()),
        ("stage", pa.string()),
        ("wall_ms", pa.float64()),
        ("cpu_ms", pa.float64()),
    ]
)


class Row(NamedTuple):
    """A task's outcome, and the times measured for it as (stage, wall ms, CPU ms or None)."""

    arbitration: dict[str, Any]
    times: tuple[tuple[str, float, float | None], ...]

    @property
    def order(self) -> tuple:
        """What the tables are sorted by."""
        row = self.arbitration
        return row["qid"], row["n"], row["method"], row["k"] or 0


def no_candidates(task: Task) -> Row:
    """An empty pool: no call, no tokens, no cost."""
    return Row(_arbitration(task, NO_CANDIDATES, 0, 0, NO_TOKENS, 0.0), ())


def outcome_of(task: Task, record: Record, characters_in: int, llm: Llm) -> Row:
    """A task whose call is recorded; `characters_in` are those of the prompt."""
    if record["kind"] in (FAILURE, REFUSAL):
        return _failed(task, record, characters_in)
    content = record["content"]
    selection = read_answer(content, len(task.candidates))
    usage = record["usage"]
    if usage:
        counts = usage["prompt_tokens"], usage["completion_tokens"]
    else:
        counts = estimated_tokens(characters_in), estimated_tokens(len(content))
    row = _arbitration(
        task,
        PARSE_FAILURE if selection.position is None else OK,
        *counts,
        PROVIDER if usage else ESTIMATE,
        cost_usd(*counts, llm.input_price, llm.output_price),
        record["call"],
    )
    if selection.position is not None:
        row["selected_position"] = selection.position
        row["selected_id"] = task.candidates[selection.position - 1].id
    measured = record["measured"]
    llm_time = (LLM_STAGE, measured["llm_ms"], measured["llm_cpu_ms"])
    return Row(row, (_prompt_time(record), llm_time))


def _failed(task: Task, record: Record, characters_in: int) -> Row:
    """A failed call shows the tokens it would have taken, marked, and is billed nothing.

    Its time to failure has a stage of its own, so that it enters no latency of success.
    """
    tokens = estimated_tokens(characters_in)
    row = _arbitration(task, API_FAILURE, tokens, 0, ESTIMATE, 0.0, record["call"])
    failure = (FAILURE_STAGE, record["measured"]["failure_ms"], None)
    return Row(row, (failure,))


def _prompt_time(record: Record) -> tuple[str, float, float]:
    measured = record["measured"]
    return PROMPT_STAGE, measured["prompt_ms"], measured["prompt_cpu_ms"]


def _arbitration(
    task: Task,
    outcome: str,
    tokens_in: int,
    tokens_out: int,
    token_source: str,
    usd: float,
    call: str | None = None,
) -> dict[str, Any]:
    return {
        "qid": task.qid,
        "n": task.n,
        "method": task.method,
        "k": task.k,
        "pool_size": len(task.candidates),
        "selected_position": None,
        "selected_id": None,
        "outcome": outcome,
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
        "token_source": token_source,
        "cost_usd": usd,
        "call": call,
    }


def arbitration_table(rows: Sequence[Row]) -> pa.Table:
    """The `arbitration` contract, in the order of the rows."""
    return pa.Table.from_pylist([row.arbitration for row in rows], ARBITRATION_SCHEMA)


def latency_table(rows: Sequence[Row]) -> pa.Table:
    """The `latency` contract: a row a stage, in the order of the rows."""
    times = [
        {
            "qid": row.arbitration["qid"],
            "n": row.arbitration["n"],
            "method": row.arbitration["method"],
            "stage": stage,
            "wall_ms": wall_ms,
            "cpu_ms": cpu_ms,
        }
        for row in rows
        for stage, wall_ms, cpu_ms in row.times
    ]
    return pa.Table.from_pylist(times, ARBITRATION_LATENCY_SCHEMA)
