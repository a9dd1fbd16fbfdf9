"""What a run may spend, what it says beforehand, and that no key gets anywhere."""

import time

import pytest
from arbiter_world import (
    CARDS,
    KEY,
    KEY_VARIABLE,
    arbiter,
    arbitrated,
    grid,
    lines,
    saved,
    settings,
    task,
    tasks,
)

from agent_discovery.arbitration.arbitrate import arbitrate
from agent_discovery.arbitration.estimate import estimate
from agent_discovery.arbitration.ledger import Ledger
from agent_discovery.arbitration.pacing import SpendingCapReached
from agent_discovery.arbitration.prompt import messages_for
from agent_discovery.arbitration.request import greatest_cost_usd, request_body
from agent_discovery.config import Llm, read_config
from agent_discovery.endpoint import live_endpoint
from agent_discovery.errors import InputError

PROMPT = messages_for(task().query, task().candidates)
DEAR = {"input_price": 10_000.0, "output_price": 0.0}


def test_the_cap_is_never_passed_and_the_stop_is_clean(server, log, ledger):
    with pytest.raises(SpendingCapReached, match="llm.max_cost_usd"):
        arbitrated(server, ledger, tasks(20), max_cost_usd=10.0, workers=3, timeout_s=10, **DEAR)
    spent = sum(entry["tokens_in"] for entry in lines(log)) * 0.01
    assert 7 < spent <= 10 and Ledger.read(ledger).spent_usd == pytest.approx(spent)
    asked = len(lines(log))
    with pytest.raises(SpendingCapReached):  # what was spent before counts
        arbitrated(server, ledger, tasks(20), max_cost_usd=10.0, **DEAR)
    assert len(lines(log)) == asked
    arbitrated(server, ledger, tasks(20), max_cost_usd=100.0, timeout_s=10, **DEAR)
    assert len(lines(log)) == 20


def test_an_attempt_that_may_have_been_billed_counts_at_its_greatest(server, log, ledger):
    arbitrated(server, ledger, [task()], "hang", max_cost_usd=100.0, **DEAR)
    tokens = [entry["tokens_in"] for entry in lines(log)]
    assert Ledger.read(ledger).spent_usd >= 0.01 * sum(tokens) and len(tokens) == 2
    refused = ledger.with_name("refused")
    arbitrated(server, refused, [task()], "500", max_cost_usd=100.0, **DEAR)
    assert Ledger.read(refused).spent_usd == 0


def test_attempts_before_the_cap_is_reached_are_recorded_and_count(server, log, ledger):
    greatest = greatest_cost_usd(request_body(Llm(**DEAR), "m", PROMPT), Llm(**DEAR))
    with pytest.raises(SpendingCapReached):
        arbitrated(
            server, ledger, [task()], "not-json", max_cost_usd=1.5 * greatest, model="m", **DEAR
        )
    [asked, failure] = lines(ledger)
    assert (asked["kind"], failure["kind"]) == ("asked", "failure")
    assert len(failure["attempts"]) == len(lines(log)) == 1
    assert Ledger.read(ledger).spent_usd == failure["billed_usd"] == asked["greatest_usd"]


def test_one_workers_stop_keeps_the_others_answers(server, log, ledger):
    with pytest.raises(InputError, match="outlasted"):
        arbitrated(server, ledger, tasks(6), "429:1", workers=3, patience_s=0.1, timeout_s=10)
    arbitration = arbitrated(server, ledger, tasks(6), timeout_s=10)
    assert set(arbitration.records["outcome"].to_pylist()) == {"ok"}


def test_no_key_in_any_file_or_output(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    folder = tmp_path / "all"
    for fault in ("", "echo-key", "bad-key", "500", "prose", "context-length"):
        with arbiter(folder_of(folder) / "log.jsonl") as server:
            ledger = folder / f"{fault or 'none'}.jsonl"
            try:
                done = arbitrated(server, ledger, tasks(2), fault, api_key_variable=KEY_VARIABLE)
                saved(done, folder / f"tables-{fault}")
            except InputError as error:
                print(error)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) == 6 + 1 + 5 * 2
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    assert KEY not in "".join(capfd.readouterr())
    assert KEY not in repr(live_endpoint(settings("http://h/v1", api_key_variable=KEY_VARIABLE)))


def folder_of(path):
    path.mkdir(exist_ok=True)
    return path


def test_live_without_a_key_is_one_line(ledger):
    llm = Llm(arbiter="live", api_key_variable="NOT_SET_ANYWHERE")
    with pytest.raises(InputError, match="environment variable NOT_SET_ANYWHERE is empty"):
        arbitrate(tasks(1), llm, ledger)


@pytest.mark.parametrize(
    "values",
    [
        {"api_key_variable": KEY},
        {"base_url": f"https://user:{KEY}@host/v1"},
        {"base_url": f"https://host/v1?key={KEY}"},
        {"api_key": KEY},
    ],
)
def test_a_key_in_the_configuration_is_refused_and_not_repeated(values):
    with pytest.raises(InputError) as refused:
        read_config({"llm": values})
    assert KEY not in str(refused.value) and "llm." in str(refused.value)


def test_live_runs_only_by_name():
    assert Llm().arbiter == "offline"
    with pytest.raises(InputError, match="llm.arbiter"):
        read_config({"llm": {"arbiter": "Live"}})


def test_estimate_equals_what_a_run_takes(server, ledger):
    some = [*grid(), task("q-none", candidates=[]), task("q-twin"), task("q-twin", method="BM25")]
    llm = settings(server.base_url)
    before = estimate(some, llm, Ledger.read(ledger))
    records = arbitrated(server, ledger, some).records.to_pylist()
    once = {entry["call"]: entry for entry in records if entry["call"]}.values()
    assert sum(line.tasks for line in before) == 21
    assert sum(line.calls for line in before) == len(once) == 19
    assert sum(line.tokens_in for line in before) == sum(entry["tokens_in"] for entry in once)
    assert sum(line.tokens_out for line in before) == sum(entry["tokens_out"] for entry in once)
    spent = sum(entry["cost_usd"] for entry in once)
    assert sum(line.cost_usd for line in before) == pytest.approx(spent)
    assert all(line.cost_usd <= line.greatest_cost_usd for line in before)
    after = estimate(some, llm, Ledger.read(ledger))
    assert sum(line.calls for line in after) == 0 and sum(line.recorded for line in after) == 20


def test_estimate_counts_calls_beyond_the_context_apart(ledger):
    llm = Llm(context_window=200)
    (line,) = estimate([task(candidates=CARDS * 9)], llm, Ledger.read(ledger))
    assert (line.calls, line.beyond_context, line.cost_usd) == (0, 1, 0)


def test_calls_keep_to_the_tokens_per_minute(server, ledger, monkeypatch):
    monkeypatch.setattr("agent_discovery.arbitration.pacing.WINDOW_S", 0.4)
    begun = time.monotonic()
    arbitrated(server, ledger, tasks(3), tokens_per_minute=300)
    assert time.monotonic() - begun >= 0.8
