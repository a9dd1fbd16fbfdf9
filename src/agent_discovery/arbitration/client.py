"""One call to an arbiter through the `openai` client, with bounded retries of our own.

The SDK's retries are off: each attempt is ours to pace, to pay for and to keep.
"""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from agent_discovery.arbitration.attempts import (
    Attempt,
    RunStopped,
    Verdict,
    attempt_of,
    wait_before_next,
    why_stopped,
)
from agent_discovery.arbitration.completion import read_completion
from agent_discovery.arbitration.ledger import Ledger
from agent_discovery.arbitration.ledger_record import (
    ASKED,
    BILLED_USD,
    FAILURE,
    GREATEST_NUMBER,
    GREATEST_USD,
    REFUSAL,
    SETTLED,
    Record,
)
from agent_discovery.arbitration.pacing import Pace, SpendingCap
from agent_discovery.arbitration.tokens import cost_usd, greatest_tokens
from agent_discovery.config import Llm
from agent_discovery.endpoint import Endpoint
from agent_discovery.errors import InputError
from agent_discovery.model_client import model_client

GREATEST_BODY = 4 << 20  # bytes; no answer with a text that fits llm.max_output_tokens comes near
MILLISECONDS = 1e-6  # in a nanosecond
STOPPED = "the run was stopped: run the same command to go on"
STOPPING = (Verdict.RATE_LIMIT, Verdict.UNREACHABLE, Verdict.SETTING)


@dataclass
class _Asked:
    """What was sent for a call, what it cost, and the error that lets no more be sent, if any."""

    attempts: list[Attempt] = field(default_factory=list)
    billed_usd: float = 0.0
    halted: InputError | None = None


class Client:
    """Asks one endpoint; safe to use from several threads. Close it after use."""

    def __init__(
        self,
        llm: Llm,
        endpoint: Endpoint,
        ledger: Ledger,
        pace: Pace,
        cap: SpendingCap,
        stop: threading.Event | None = None,
    ):
        self._llm, self._endpoint, self._ledger = llm, endpoint, ledger
        self._pace, self._cap = pace, cap
        self._stop = stop or threading.Event()
        self._openai = model_client(endpoint, llm.timeout_s, GREATEST_BODY)

    def close(self) -> None:
        """Close the connections."""
        self._openai.close()

    def ask(self, call: str, request: dict[str, Any], measured: Mapping[str, float]) -> Record:
        """Ask until there is an answer or a failure; gives the record, which is in the ledger.

        measured: times to keep with it (milliseconds). Raises RunStopped when no call can succeed
        for now, and SpendingCapReached.
        """
        begun = time.perf_counter_ns()
        asked = _Asked()
        answer = self._answer(call, request, asked)
        if not answer:
            failed_after = (time.perf_counter_ns() - begun) * MILLISECONDS
            answer = _failure(asked.attempts[-1], failed_after)
        record = self._record(call, request, answer, asked)
        record["measured"] = _rounded({**measured, **record["measured"]})
        self._ledger.append(record)
        if asked.halted:
            raise asked.halted
        self._raise_if_stopping(asked.attempts[-1])
        return record

    def _answer(self, call: str, request: dict[str, Any], asked: _Asked) -> Record | None:
        """Ask, and ask again as long as that makes sense; the answer, or None."""
        while True:
            try:
                attempt, answer, usd = self._attempt(call, request)
            except InputError as error:
                if not asked.attempts:
                    raise
                asked.halted = error  # no more is sent, and what was is recorded first
                return None
            asked.attempts.append(attempt)
            asked.billed_usd += usd
            wait = wait_before_next(asked.attempts, self._llm.max_attempts, self._llm.patience_s)
            if answer or wait is None:
                return answer
            waiting = time.perf_counter()
            stopped = self._stop.wait(wait)
            attempt.waited_s = time.perf_counter() - waiting
            if stopped:  # what was sent is recorded before this worker ends
                return None

    def _attempt(self, call: str, request: dict[str, Any]) -> tuple[Attempt, Record | None, float]:
        """One request: the attempt, the answer if there is one, and US dollars to count."""
        held_back = self._cap.capped or self._pace.limited
        greatest_in = self._greatest_in(request) if held_back else 0
        greatest_usd = self._usd(greatest_in, request["max_tokens"])
        self._cap.reserve(greatest_usd)
        spent = 0.0
        try:
            self._pace.wait_for(greatest_in + request["max_tokens"])
            if self._stop.is_set():
                raise RunStopped(STOPPED)
            if self._cap.capped:
                self._ledger.append({"call": call, "kind": ASKED, GREATEST_USD: greatest_usd})
            spent = greatest_usd
            attempt, answer = self._send(request)
            spent = self._spent(request, attempt, answer)
        finally:
            self._cap.settle(greatest_usd, spent)
        return attempt, answer, spent

    def _spent(self, request: dict[str, Any], attempt: Attempt, answer: Record | None) -> float:
        """What an attempt cost; where no one says, the most that it may have cost."""
        if answer and answer["usage"]:
            usage = answer["usage"]
            return self._usd(usage["prompt_tokens"], usage["completion_tokens"])
        if answer or attempt.may_be_billed:
            return self._usd(self._greatest_in(request), request["max_tokens"])
        return 0.0

    def _greatest_in(self, request: dict[str, Any]) -> int:
        return greatest_tokens(request["messages"], request["model"])

    def _usd(self, tokens_in: int, tokens_out: int) -> float:
        usd = cost_usd(tokens_in, tokens_out, self._llm.input_price, self._llm.output_price)
        return min(usd, GREATEST_NUMBER)  # what a record may hold

    def _send(self, request: dict[str, Any]) -> tuple[Attempt, Record | None]:
        wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
        try:
            response = self._openai.chat.completions.with_raw_response.create(
                **request, extra_headers=dict(self._endpoint.headers)
            )
            answer = read_completion(response.content, self._endpoint.key)
            attempt = Attempt(Verdict.ANSWERED, status=200)
        except Exception as error:  # a server may send what no one has thought of; it was asked
            answer, attempt = None, attempt_of(error, self._endpoint.key)
        cpu_ms = (time.thread_time_ns() - cpu) * MILLISECONDS
        attempt.wall_ms = (time.perf_counter_ns() - wall) * MILLISECONDS
        if answer:
            answer["measured"] = {"llm_ms": attempt.wall_ms, "llm_cpu_ms": cpu_ms}
        return attempt, answer

    def _record(
        self,
        call: str,
        request: dict[str, Any],
        answer: Record,
        asked: _Asked,
    ) -> Record:
        parameters = {k: v for k, v in request.items() if k not in ("model", "messages")}
        return {
            "call": call,
            "model": request["model"],
            "parameters": parameters,
            **answer,
            "attempts": [attempt.as_json() for attempt in asked.attempts],
            BILLED_USD: min(asked.billed_usd, GREATEST_NUMBER),
            SETTLED: len(asked.attempts) if self._cap.capped else 0,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
        }

    def _raise_if_stopping(self, attempt: Attempt) -> None:
        if attempt.verdict in STOPPING:
            url, variable = self._endpoint.base_url, self._endpoint.key_variable
            raise RunStopped(why_stopped(attempt, url, variable))
        if attempt.verdict is Verdict.TRANSIENT and self._stop.is_set():
            raise RunStopped(STOPPED)


def _failure(attempt: Attempt, failed_after_ms: float) -> Record:
    return {
        "kind": REFUSAL if attempt.verdict is Verdict.REFUSED else FAILURE,
        "measured": {"failure_ms": failed_after_ms},
    }


def _rounded(times: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in times.items()}
