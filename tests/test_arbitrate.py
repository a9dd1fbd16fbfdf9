"""Arbitration whole: order, records, resuming after kills, and replay."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from arbiter_world import (
    METHODS,
    arbiter,
    arbitrated,
    grid,
    lines,
    row,
    saved,
    task,
    tasks,
)

from agent_discovery.arbitration.arbitrate import arbitrate
from agent_discovery.arbitration.ledger import Ledger
from agent_discovery.arbitration.prompt import Candidate
from agent_discovery.arbitration.task import Task, alternating, at_depths, shuffled
from agent_discovery.config import Llm
from agent_discovery.errors import InputError

TESTS = Path(__file__).parent
REPLAY = {"arbiter": "replay"}


def test_alternating_order_takes_turns_over_pairs():
    ordered = alternating(grid(METHODS[:2]))
    firsts = [one.method for one in ordered[::2]]
    assert firsts == ["Full catalog", "SSR"] * 3
    pairs = [(one.qid, one.n) for one in ordered[::2]]
    assert pairs == [(q, n) for q in ("q2", "q10", "q1") for n in (100, 500)]


def test_shuffled_order_is_the_published_recipe():
    ordered = [one.method for one in shuffled(grid(), 42)]
    expected = []
    for qid in ("q2", "q10", "q1"):
        for n in (100, 500):
            methods = list(METHODS)
            random.Random(f"42:{qid}:{n}:method-order").shuffle(methods)
            expected += methods
    assert ordered == expected


def test_depths_cut_the_pools_of_some_methods_at_one_size():
    pool = [Candidate(name, name, "") for name in "abc"]
    tasks = [Task("q", "text", n, method, None, pool) for n in (10, 20) for method in ("A", "B")]
    found = at_depths(tasks, ["A"], 20, [5, 2])
    assert [(task.n, task.method, task.k, len(task.candidates)) for task in found] == [
        (20, "A", 2, 2),
        (20, "A", 5, 3),
    ]


def test_records_are_sorted_and_the_same_for_any_number_of_workers(server, tmp_path):
    one = arbitrated(server, tmp_path / "one", grid())
    four = arbitrated(server, tmp_path / "four", grid(), workers=4, timeout_s=10)
    assert one.records.equals(four.records) and one.facts == four.facts
    key = [(r["qid"], r["n"], r["method"]) for r in one.records.to_pylist()]
    assert key == sorted(key) and len(key) == 18
    served = [{"model": "offline-arbiter-1", "fingerprint": "fp_offline_1"}]
    assert one.facts == {"model": "gpt-4o-mini", "stand_in": True, "served": served}
    assert one.latency.num_rows == 36 and min(one.latency["wall_ms"].to_pylist()) > 0
    assert "wall_ms" not in one.records.column_names


def test_calls_start_in_the_given_order(server, log, ledger):
    arbitration = arbitrated(server, ledger, grid())
    calls = {(r["qid"], r["n"], r["method"]): r["call"] for r in arbitration.records.to_pylist()}
    expected = [calls[one.qid, one.n, one.method] for one in alternating(grid())]
    assert [entry["call"] for entry in lines(log)] == expected


def test_an_empty_pool_is_no_call(server, log, ledger):
    arbitration = arbitrated(server, ledger, [task(candidates=[])])
    result = row(arbitration)
    assert result["outcome"] == "no_candidates" and result["call"] is None
    assert (result["pool_size"], result["tokens_in"], result["cost_usd"]) == (0, 0, 0)
    assert result["token_source"] == "none" and arbitration.latency.num_rows == 0
    assert not log.read_text()


def test_no_tasks(server, ledger):
    assert arbitrated(server, ledger, []).records.num_rows == 0


def test_identical_prompts_are_asked_once(server, log, ledger):
    same = [task(method=method) for method in METHODS]
    arbitration = arbitrated(server, ledger, same, workers=3, timeout_s=10)
    assert len(lines(log)) == 1 and arbitration.asked == 1
    assert set(arbitration.records["outcome"].to_pylist()) == {"ok"}


def test_offline_starts_and_stops_its_own_arbiter(log, ledger):
    llm = Llm(workers=2)
    first = arbitrate(tasks(4), llm, ledger, arbiter_log=log)
    again = arbitrate(tasks(4), llm, ledger, arbiter_log=log)
    assert len(lines(log)) == 4 and (first.asked, again.asked) == (4, 0)
    assert first.facts == again.facts and first.facts["stand_in"]
    assert Ledger.read(ledger).spent_usd == 0
    assert first.records["cost_usd"].to_pylist()[0] > 0


def test_replay_gives_the_same_bytes_without_an_arbiter(ledger, tmp_path):
    with arbiter(context_window=500) as server:
        too_long = task("q-long", "book " * 600)
        live = arbitrated(server, ledger, [*grid(), too_long, task("q-none", candidates=[])])
    before = ledger.read_bytes()
    replay = arbitrate([*grid(), too_long, task("q-none", candidates=[])], Llm(**REPLAY), ledger)
    assert saved(live, tmp_path / "live") == saved(replay, tmp_path / "replay")
    assert live.facts == replay.facts and replay.asked == 0 and ledger.read_bytes() == before
    table = pq.read_table(tmp_path / "replay" / "arbitration.parquet")
    assert {"ok", "api_failure", "no_candidates"} == set(table["outcome"].to_pylist())


def test_replay_of_an_offline_run_gives_the_same_bytes(ledger, tmp_path):
    offline = arbitrate(tasks(3), Llm(), ledger)
    replay = arbitrate(tasks(3), Llm(**REPLAY), ledger)
    assert saved(offline, tmp_path / "offline") == saved(replay, tmp_path / "replay")
    assert replay.facts["stand_in"]


def test_replay_needs_no_key(server, ledger, monkeypatch):
    arbitrated(server, ledger, tasks(2))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert arbitrate(tasks(2), Llm(**REPLAY), ledger).records.num_rows == 2


@pytest.mark.parametrize("how", ["live", "offline"])
def test_replay_names_the_missing_call_and_the_remedy(ledger, how):
    if how == "live":
        with arbiter() as server:
            arbitrated(server, ledger, tasks(3))
    else:
        arbitrate(tasks(3), Llm(), ledger)
    first, removed, last = ledger.read_text().splitlines(keepends=True)
    ledger.write_text(first + last)
    with pytest.raises(InputError) as missing:
        arbitrate(tasks(3), Llm(**REPLAY), ledger)
    message = str(missing.value)
    assert "query q001, n=3, method SSR" in message and json.loads(removed)["call"] in message
    assert f"llm.arbiter={how}" in message and "\n" not in message


def test_stand_in_answers_never_pass_for_the_models(server, log, ledger):
    arbitrate(tasks(2), Llm(), ledger)
    arbitrated(server, ledger, tasks(2))
    assert len(lines(log)) == 2
    assert arbitrate(tasks(2), Llm(**REPLAY), ledger).facts["model"] == "gpt-4o-mini"


def kill_at_random(command, moment, ledger, environment):
    """Start the run, kill it a moment after its start; the calls in the ledger by then."""
    running = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    running.stdout.readline()
    time.sleep(moment)
    running.send_signal(signal.SIGKILL)
    running.wait()
    running.stdout.close()
    return {record["call"] for record in whole_lines(ledger)}


def whole_lines(path):
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def test_ten_kills_repeat_no_recorded_answer(server, log, ledger):
    count, kills, workers, rng = 400, 10, 2, random.Random(10)
    command = [sys.executable, str(TESTS / "kill_runner.py"), server.base_url, str(ledger)]
    command += [str(count), str(workers)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    answered_and_logged = []
    for _ in range(kills):
        answered = kill_at_random(command, rng.uniform(0.05, 0.5), ledger, environment)
        answered_and_logged.append((answered, len(lines(log))))
    arbitration = arbitrated(server, ledger, tasks(count), timeout_s=10)
    asked = [entry["call"] for entry in lines(log)]
    again = sum(len(answered & set(asked[logged:])) for answered, logged in answered_and_logged)
    print(f"{kills} kills: {again} recorded calls asked again, {len(asked) - count} repeated")
    assert again == 0
    assert set(arbitration.records["outcome"].to_pylist()) == {"ok"}
    assert len(set(asked)) == count and len(asked) - count <= kills * workers
    assert sum(0 < len(answered) < count for answered, _ in answered_and_logged) >= 3


def test_an_interrupt_ends_with_the_calls_under_way(server, ledger):
    command = [sys.executable, str(TESTS / "kill_runner.py"), server.base_url, str(ledger)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    running = subprocess.Popen(
        [*command, "5000", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    running.stdout.readline()
    time.sleep(0.4)
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=60)
    assert b"KeyboardInterrupt" in told and ledger.read_bytes().endswith(b"\n")
    assert {record["kind"] for record in lines(ledger)} == {"answer"}
