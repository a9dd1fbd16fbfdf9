"""What the arbitration tests share: small tasks, an arbiter in this process, and its log."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from agent_discovery.arbitration.arbitrate import Arbitration, arbitrate
from agent_discovery.arbitration.offline_arbiter import OfflineArbiter
from agent_discovery.arbitration.prompt import Candidate
from agent_discovery.arbitration.task import Task
from agent_discovery.config import Llm
from agent_discovery.files import write_table

KEY = "sk-marked-0123456789abcdef"
KEY_VARIABLE = "AGENT_DISCOVERY_TEST_KEY"
METHODS = ["Full catalog", "SSR", "BM25"]
CARDS = [
    Candidate("c-farm", "Soil Agent", "plans irrigation for farms"),
    Candidate("c-tax", "Tax Agent", "files tax returns for small firms"),
    Candidate("c-trip", "Trip Agent", "book trains and a hotel"),
]


def task(qid: str = "q1", query: str = "book me a hotel", method: str = "SSR", **values) -> Task:
    """A task whose query fits the third card; fields can be replaced."""
    return Task(qid, query, 3, method, 10, CARDS)._replace(**values)


def tasks(count: int) -> list[Task]:
    """Tasks that each have a prompt of their own."""
    return [task(f"q{number:03}", f"book hotel number {number}") for number in range(count)]


def grid(methods=METHODS) -> list[Task]:
    """Three queries, two sizes, each method; every prompt differs."""
    return [
        task(qid, f"book hotel {qid} {n} {method}", method, n=n)
        for qid in ("q2", "q10", "q1")
        for n in (100, 500)
        for method in methods
    ]


@contextmanager
def arbiter(
    log: Path | None = None, kind: type[OfflineArbiter] = OfflineArbiter, **options
) -> Iterator[OfflineArbiter]:
    """The offline arbiter, or another kind of it, on a thread of this process."""
    with kind(log=log, **options) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def settings(base_url: str, **values) -> Llm:
    """A live configuration against the offline arbiter, impatient."""
    impatient = {"timeout_s": 0.3, "max_attempts": 2, "patience_s": 1.2}
    live = {"arbiter": "live", "base_url": base_url, "api_key_variable": None}
    return Llm.model_validate({**live, **impatient, **values})


def arbitrated(server: OfflineArbiter, ledger: Path, some, fault: str = "", **values):
    """Arbitrate tasks live against a server, each request with a fault header if any."""
    headers: Mapping[str, str] = {"x-arbiter-fault": fault} if fault else {}
    llm = settings(server.base_url, **values)
    return arbitrate(some, llm, ledger, headers=headers)


def row(arbitration: Arbitration) -> dict:
    """The only row of the arbitration table."""
    (only,) = arbitration.records.to_pylist()
    return only


def lines(path: Path) -> list[dict]:
    """A file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def saved(arbitration: Arbitration, folder: Path) -> list[bytes]:
    """Write the tables into a new folder; the content of its files."""
    folder.mkdir()
    write_table(folder / "arbitration.parquet", arbitration.records)
    write_table(folder / "latency.parquet", arbitration.latency)
    return [path.read_bytes() for path in sorted(folder.iterdir())]
