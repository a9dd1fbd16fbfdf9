"""Arbitration of many tasks: ask what the ledger lacks, replay the rest, give the tables."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from tqdm import tqdm

from agent_discovery.arbitration.client import MILLISECONDS, Client
from agent_discovery.arbitration.ledger import Ledger
from agent_discovery.arbitration.ledger_record import Record
from agent_discovery.arbitration.offline_arbiter import running_offline_arbiter
from agent_discovery.arbitration.offline_reply import OFFLINE_MODEL
from agent_discovery.arbitration.outcomes import (
    Row,
    arbitration_table,
    latency_table,
    no_candidates,
    outcome_of,
)
from agent_discovery.arbitration.pacing import Pace, SpendingCap
from agent_discovery.arbitration.prompt import messages_for
from agent_discovery.arbitration.request import call_key, greatest_cost_usd, request_body
from agent_discovery.arbitration.task import Task, alternating
from agent_discovery.arbitration.tokens import characters
from agent_discovery.config import Llm
from agent_discovery.endpoint import Endpoint, live_endpoint
from agent_discovery.errors import InputError, printable


class Arbitration(NamedTuple):
    """What arbitration gives. `facts` belong in provenance.json; `asked` differs run by run."""

    records: pa.Table
    latency: pa.Table
    facts: dict[str, Any]
    asked: int


def arbitrate(
    tasks: Iterable[Task],
    llm: Llm,
    ledger_path: str | Path,
    order: Callable[[Iterable[Task]], list[Task]] = alternating,
    arbiter_log: str | Path | None = None,
    headers: Mapping[str, str] | None = None,
) -> Arbitration:
    """Let the configured arbiter select a card for each task; tables are sorted, not in call order.

    A call that `ledger_path` has an answer of is never asked again. The offline arbiter is started
    and stopped here; `arbiter_log` takes its request log. `headers` go with each request.
    Raises InputError (and its kinds RunStopped and SpendingCapReached, after which the same
    command goes on): one line. In replay mode also when an answer is not recorded.
    """
    ordered = order(tasks)
    if llm.arbiter == "replay":
        ledger = Ledger.read(ledger_path)
        return _Run(llm, replayed_model(ledger, llm), ledger, None).over(ordered)
    with Ledger.writing(ledger_path) as ledger, _endpoint(llm, arbiter_log) as endpoint:
        endpoint = replace(endpoint, headers=dict(headers or {}))
        if llm.arbiter == "offline":
            return _asking(ordered, llm, OFFLINE_MODEL, ledger, endpoint, _free(llm))
        return _asking(ordered, llm, llm.model, ledger, endpoint, llm)


def replayed_model(ledger: Ledger, llm: Llm) -> str:
    """Whose answers are replayed: the configured model's, or the stand-in's if it has none.

    The two are never mixed.
    """
    models = ledger.models()
    stand_in_only = llm.model not in models and OFFLINE_MODEL in models
    return OFFLINE_MODEL if stand_in_only else llm.model


@contextmanager
def _endpoint(llm: Llm, arbiter_log: str | Path | None) -> Iterator[Endpoint]:
    if llm.arbiter == "offline":
        with running_offline_arbiter(llm.context_window, log=arbiter_log) as base_url:
            yield Endpoint(base_url)
    else:
        yield live_endpoint(llm)


def _free(llm: Llm) -> Llm:
    """The offline arbiter costs nothing and has no rate limit."""
    free = {"input_price": 0.0, "output_price": 0.0}
    return llm.model_copy(update={**free, "tokens_per_minute": None, "max_cost_usd": None})


def _asking(
    tasks: Sequence[Task], llm: Llm, model: str, ledger: Ledger, endpoint: Endpoint, terms: Llm
) -> Arbitration:
    """Run with a client; `terms` are the prices and limits that the calls are made under."""
    stop = threading.Event()
    pace = Pace(terms.tokens_per_minute, sleep=stop.wait)
    cap = SpendingCap(terms.max_cost_usd, ledger.spent_usd)
    client = Client(terms, endpoint, ledger, pace, cap, stop)
    try:
        return _Run(llm, model, ledger, client, stop).over(tasks)
    finally:
        client.close()


class _Run:
    """One pass over the tasks by one or more workers."""

    def __init__(
        self,
        llm: Llm,
        model: str,
        ledger: Ledger,
        client: Client | None,
        stop: threading.Event | None = None,
    ):
        self._llm, self._model, self._ledger, self._client = llm, model, ledger, client
        self._stop = stop or threading.Event()
        self._lock = threading.Lock()
        self._call_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._rows: list[Row] = []
        self._served: set[tuple[str, str]] = set()
        self._errors: list[BaseException] = []
        self._asked = 0

    def over(self, tasks: Sequence[Task]) -> Arbitration:
        """Work through the tasks in their order; the first error stops all workers."""
        waiting = iter(tqdm(tasks, desc="arbitration", unit="call", disable=None, delay=2))
        workers = self._llm.workers if self._client else 1
        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(self._work, waiting) for _ in range(workers)]
            try:
                wait(futures)
            finally:  # also when interrupted: the workers end with the calls under way
                self._stop.set()
        if self._errors:
            raise self._errors[0]
        rows = sorted(self._rows, key=lambda row: row.order)
        return Arbitration(arbitration_table(rows), latency_table(rows), self._facts(), self._asked)

    def _work(self, waiting: Iterator[Task]) -> None:
        try:
            while not self._stop.is_set():
                with self._lock:
                    task = next(waiting, None)
                if task is None:
                    return
                row = self._row(task)
                with self._lock:
                    self._rows.append(row)
        except BaseException as error:
            with self._lock:
                self._errors.append(error)
            self._stop.set()

    def _row(self, task: Task) -> Row:
        if not task.candidates:
            return no_candidates(task)
        wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
        messages = messages_for(task.query, task.candidates, self._llm.prompt)
        measured = {
            "prompt_ms": (time.perf_counter_ns() - wall) * MILLISECONDS,
            "prompt_cpu_ms": (time.thread_time_ns() - cpu) * MILLISECONDS,
        }
        record = self._record(task, request_body(self._llm, self._model, messages), measured)
        return outcome_of(task, record, characters(messages), self._llm)

    def _record(self, task: Task, request: dict[str, Any], measured: dict[str, float]) -> Record:
        call = call_key(request)
        with self._lock:
            call_lock = self._call_locks[call]
        with call_lock:  # two tasks may have the very same prompt: it is asked once
            record = self._ledger.replayed(call)
            if record is None and self._client is None:
                raise InputError(self._missing(task, call, request))
            asked = record is None
            if asked:
                record = self._client.ask(call, request, measured)
        with self._lock:
            self._asked += asked
            if "served_model" in record:
                self._served.add((record["served_model"] or "", record["fingerprint"] or ""))
        return record

    def _missing(self, task: Task, call: str, request: dict[str, Any]) -> str:
        if self._model == OFFLINE_MODEL:
            remedy = "run once with llm.arbiter=offline, which asks the offline arbiter"
        else:
            usd = greatest_cost_usd(request, self._llm)
            remedy = (
                f"run once with llm.arbiter=live, which asks {self._model} (at most ${usd:.6f} "
                "for this call)"
            )
        return (
            f"{self._ledger.path}: no answer is recorded for query {task.qid}, n={task.n}, method "
            f"{task.method} (call {call}): {remedy}"
        )

    def _facts(self) -> dict[str, Any]:
        """Who answered; the same for a run and for its replay."""
        return {
            "model": self._model,
            "stand_in": OFFLINE_MODEL in {self._model, *(model for model, _ in self._served)},
            # A server's names may hold half of a surrogate pair, which no file takes.
            "served": [
                {"model": printable(model), "fingerprint": printable(fingerprint)}
                for model, fingerprint in sorted(self._served)
            ],
        }
