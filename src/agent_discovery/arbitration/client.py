"""One call to an arbiter through the `openai` client, with bounded retries of our own.

The SDK's retries are off: each attempt is ours to pace, to pay for and to keep.
"""

import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import openai
from openai.types.chat import ChatCompletion

from agent_discovery.arbitration.attempts import (
    Attempt,
    RunStopped,
    Verdict,
    attempt_of,
    redacted,
    wait_before_next,
    why_stopped,
)
from agent_discovery.arbitration.ledger import Ledger
from agent_discovery.arbitration.ledger_record import (
    ANSWER,
    ASKED,
    BILLED_USD,
    FAILURE,
    GREATEST_USD,
    REFUSAL,
    UNUSABLE,
    Record,
)
from agent_discovery.arbitration.pacing import Pace, SpendingCap
from agent_discovery.arbitration.tokens import cost_usd, greatest_tokens
from agent_discovery.config import Llm
from agent_discovery.endpoint import Endpoint

MILLISECONDS = 1e-6  # in a nanosecond
STOPPED = "the run was stopped: run the same command to go on"
CUT_OFF = ("length", "content_filter")
STOPPING = (Verdict.RATE_LIMIT, Verdict.UNREACHABLE, Verdict.SETTING)


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
        # A proxy from the environment has no business between us and our own machine, and a
        # redirect must not carry a prompt elsewhere.
        http = openai.DefaultHttpxClient(
            follow_redirects=False, trust_env=not endpoint.loopback, timeout=llm.timeout_s
        )
        self._openai = openai.OpenAI(
            api_key=endpoint.key,
            base_url=endpoint.base_url,
            timeout=llm.timeout_s,
            max_retries=0,
            http_client=http,
        )

    def close(self) -> None:
        """Close the connections."""
        self._openai.close()

    def ask(self, call: str, request: dict[str, Any], measured: Mapping[str, float]) -> Record:
        """Ask until there is an answer or a failure; gives the record, which is in the ledger.

        measured: times to keep with it (milliseconds). Raises RunStopped when no call can succeed
        for now, and SpendingCapReached.
        """
        attempts: list[Attempt] = []
        billed = 0.0
        begun = time.perf_counter_ns()
        while True:
            attempt, answer, attempt_usd = self._attempt(call, request)
            attempts.append(attempt)
            billed += attempt_usd
            wait = wait_before_next(attempts, self._llm.max_attempts, self._llm.patience_s)
            if answer or wait is None:
                break
            waiting = time.perf_counter()
            stopped = self._stop.wait(wait)
            attempt.waited_s = time.perf_counter() - waiting
            if stopped:  # what was sent is recorded before this worker ends
                break
        if not answer:
            failed_after = (time.perf_counter_ns() - begun) * MILLISECONDS
            answer = _failure(attempts[-1], failed_after)
        record = self._record(call, request, answer, attempts, billed)
        record["measured"] = _rounded({**measured, **record["measured"]})
        self._ledger.append(record)
        self._raise_if_stopping(attempts[-1])
        return record

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
        return cost_usd(tokens_in, tokens_out, self._llm.input_price, self._llm.output_price)

    def _send(self, request: dict[str, Any]) -> tuple[Attempt, Record | None]:
        wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
        try:
            completion = self._openai.chat.completions.create(
                **request, extra_headers=dict(self._endpoint.headers)
            )
            answer = redacted(_answer(completion), self._endpoint.key)
            attempt = Attempt(Verdict.ANSWERED, status=200)
        except (openai.OpenAIError, ValueError) as error:
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
        attempts: list[Attempt],
        billed: float,
    ) -> Record:
        parameters = {k: v for k, v in request.items() if k not in ("model", "messages")}
        return {
            "call": call,
            "model": request["model"],
            "parameters": parameters,
            **answer,
            "attempts": [attempt.as_json() for attempt in attempts],
            BILLED_USD: billed,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
        }

    def _raise_if_stopping(self, attempt: Attempt) -> None:
        if attempt.verdict in STOPPING:
            url, variable = self._endpoint.base_url, self._endpoint.key_variable
            raise RunStopped(why_stopped(attempt, url, variable))
        if attempt.verdict is Verdict.TRANSIENT and self._stop.is_set():
            raise RunStopped(STOPPED)


def _answer(completion: Any) -> Record:
    """What a ledger keeps of a completion; ValueError for what is not one."""
    if not isinstance(completion, ChatCompletion) or not completion.choices:
        raise ValueError("not a chat completion")
    choice = completion.choices[0]
    content = choice.message.content if choice.message else None
    if not isinstance(content, str | None):  # the SDK checks no types
        raise ValueError("not a text")
    usable = bool(content and content.strip()) and choice.finish_reason not in CUT_OFF
    return {
        "kind": ANSWER if usable else UNUSABLE,
        "content": content or "",
        "finish_reason": choice.finish_reason,
        "served_model": _text_or_none(completion.model),
        "fingerprint": _text_or_none(completion.system_fingerprint),
        "usage": _usage(completion),
    }


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _usage(completion: ChatCompletion) -> dict[str, Any] | None:
    usage = completion.usage
    if usage is None:
        return None
    counts = (usage.prompt_tokens, usage.completion_tokens)
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        return None
    return usage.model_dump(exclude_none=True)


def _failure(attempt: Attempt, failed_after_ms: float) -> Record:
    return {
        "kind": REFUSAL if attempt.verdict is Verdict.REFUSED else FAILURE,
        "measured": {"failure_ms": failed_after_ms},
    }


def _rounded(times: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in times.items()}
