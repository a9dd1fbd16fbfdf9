"""The LLM client in a storm: thousands of calls by several workers, three of ten requests failing.

A run that stops (a quota, a refused key, a rate limit that outlasts the patience) is started again,
as its line says.
"""

import random
from collections import Counter
from pathlib import Path

from arbiter_world import arbiter, lines, saved, settings, tasks
from figures import CALLS, count
from pytest import fixture, mark
from storm import SHARE, Sent, StormyArbiter

from agent_discovery.arbitration.arbitrate import Arbitration, arbitrate
from agent_discovery.arbitration.attempts import RunStopped
from agent_discovery.arbitration.ledger import Ledger
from agent_discovery.arbitration.ledger_record import ANSWER, ASKED
from agent_discovery.arbitration.pacing import SpendingCapReached
from agent_discovery.config import Llm

WORKERS, ATTEMPTS, PATIENCE_S = 8, 3, 2.0
IMPATIENT = {"workers": WORKERS, "max_attempts": ATTEMPTS, "patience_s": PATIENCE_S, "timeout_s": 3}
DEAR = {"input_price": 10_000.0, "output_price": 0.0}  # a cent a token


@fixture(autouse=True)
def hasty(monkeypatch):
    """Waits that are ours are short; a server's retry-after is waited for."""
    monkeypatch.setattr("agent_discovery.arbitration.attempts.BACKOFF_S", 0.01)


def weathered(llm: Llm, ledger: Path, calls: int) -> tuple[Arbitration, int]:
    """Run, and run again whenever the run stops; also how often it stopped."""
    for stops in range(calls):
        try:
            return arbitrate(tasks(calls), llm, ledger), stops
        except RunStopped as stopped:
            assert "\n" not in str(stopped)
    raise AssertionError("it never ended")


def counted(sent: Sent) -> Sent:
    """Add a storm to the figures."""
    count(calls=len(sent.modes), faults=sent.faults().total(), doubled=sent.doubled())
    return sent


@mark.parametrize("seed", [2026])
def test_a_storm(tmp_path, seed):
    log, ledger = tmp_path / "requests.jsonl", tmp_path / "ledger.jsonl"
    with arbiter(log, kind=StormyArbiter) as server:
        server.seed = seed
        done, stops = weathered(settings(server.base_url, **IMPATIENT), ledger, CALLS)
    sent = counted(Sent(log))
    print(f"{len(sent.requests)} requests, {sent.faults()}, {stops} stops")
    assert 0.8 * SHARE < sent.faults().total() / len(sent.requests) < 1.2 * SHARE

    rows = {row["call"]: row for row in done.records.to_pylist()}
    assert done.records.num_rows == len(rows) == len(sent.modes) == CALLS
    assert {call: row["outcome"] for call, row in rows.items()} == {
        call: sent.outcome(call) for call in rows
    }
    assert {row["selected_id"] for row in rows.values() if row["outcome"] == "ok"} == {"c-trip"}
    assert sent.doubled() == 0
    assert_kept(lines(ledger), sent)
    assert_order_does_not_matter(done, sent, ledger, tmp_path)


def assert_kept(records: list[dict], sent: Sent) -> None:
    """The ledger has every request that was sent, and no call was retried without end."""
    assert sum(len(record["attempts"]) for record in records) == len(sent.requests)
    answers = Counter(record["call"] for record in records if record["kind"] == ANSWER)
    assert set(answers.values()) == {1}
    for record in records:
        limited = [one for one in record["attempts"] if one["verdict"] == "rate limit"]
        assert len(record["attempts"]) - len(limited) <= ATTEMPTS
        assert sum(one["waited_s"] for one in limited) <= PATIENCE_S + 1


def assert_order_does_not_matter(done: Arbitration, sent: Sent, ledger: Path, folder: Path) -> None:
    """What is not final yet is asked in a calm; the records in any order make the same tables."""
    open_calls = [call for call in sent.modes if not sent.final(call)]
    with arbiter() as calm:
        whole = arbitrate(tasks(CALLS), settings(calm.base_url, **IMPATIENT), ledger)
    assert whole.asked == len(open_calls)
    before = {row["call"]: row for row in done.records.to_pylist()}
    after = {row["call"]: row for row in whole.records.to_pylist()}
    assert {call for call in before if before[call] != after[call]} == set(open_calls)

    shuffled = ledger.read_text().splitlines(keepends=True)
    random.Random(7).shuffle(shuffled)
    ledger.write_text("".join(shuffled))
    replayed = arbitrate(tasks(CALLS), Llm(arbiter="replay"), ledger)
    assert saved(replayed, folder / "replayed") == saved(whole, folder / "whole")


def test_a_storm_under_a_spending_cap(tmp_path):
    """The cap is raised step by step; whenever a run stops, no more than it may be billed."""
    log, ledger = tmp_path / "requests.jsonl", tmp_path / "ledger.jsonl"
    calls, caps, reached = max(1, CALLS // 8), [5.0], 0
    with arbiter(log, kind=StormyArbiter) as server:
        server.seed = 2027
        while True:
            llm = settings(server.base_url, **IMPATIENT, max_cost_usd=caps[-1], **DEAR)
            try:
                done, _ = weathered(llm, ledger, calls)
                break
            except SpendingCapReached:
                reached += 1
                assert_within(Sent(log), ledger, caps[-1])
                caps.append(caps[-1] * 2)
    sent = counted(Sent(log))
    assert reached >= 2 and done.records.num_rows == calls
    assert_within(sent, ledger, caps[-1])
    asked = [record for record in lines(ledger) if record["kind"] == ASKED]
    assert len(asked) == len(sent.requests)


def assert_within(sent: Sent, ledger: Path, cap: float) -> None:
    """At least what may be billed is counted, and no more than the cap; cents, not last bits."""
    spent = round(Ledger.read(ledger).spent_usd, 6)
    assert round(sent.tokens() * 0.01, 6) <= spent <= cap
