"""Each fault mode through real HTTP: outcome, counts, attempts kept, and what stops the run."""

import json

import pytest
from arbiter_world import KEY, KEY_VARIABLE, arbiter, arbitrated, lines, row, settings, task

from agent_discovery.arbitration import offline_reply
from agent_discovery.arbitration.arbitrate import arbitrate
from agent_discovery.arbitration.attempts import RunStopped, retry_after
from agent_discovery.arbitration.ledger import Ledger
from agent_discovery.arbitration.ledger_record import is_whole
from agent_discovery.arbitration.prompt import messages_for
from agent_discovery.arbitration.tokens import characters, chat_tokens
from agent_discovery.files import write_json

DEEP = json.loads("[" * 700 + "]" * 700)
PROMPT = messages_for(task().query, task().candidates)
ESTIMATE = characters(PROMPT) // 4


def recorded(ledger):
    (record,) = lines(ledger)
    return record


@pytest.mark.parametrize("fault", ["", "index-string", "index-float"])
def test_accepted_answers(server, ledger, fault):
    result = row(arbitrated(server, ledger, [task()], fault))
    assert result["outcome"] == "ok"
    assert (result["selected_position"], result["selected_id"]) == (3, "c-trip")
    assert (result["tokens_in"], result["token_source"]) == (chat_tokens(PROMPT), "provider")
    assert result["cost_usd"] == pytest.approx(
        (result["tokens_in"] * 0.15 + result["tokens_out"] * 0.60) / 1e6
    )


@pytest.mark.parametrize(
    ("fault", "asked_again"),
    [
        ("index-zero", False),
        ("index-beyond", False),
        ("index-fraction", False),
        ("index-true", False),
        ("index-null", False),
        ("index-list", False),
        ("prose", False),
        ("empty", True),
        ("cut-off", True),
    ],
)
def test_parse_failures_are_billed_and_timed_as_answers(server, log, ledger, fault, asked_again):
    arbitration = arbitrated(server, ledger, [task()], fault)
    result = row(arbitration)
    assert result["outcome"] == "parse_failure"
    assert result["selected_position"] is None and result["selected_id"] is None
    assert (result["tokens_in"], result["token_source"]) == (chat_tokens(PROMPT), "provider")
    assert result["cost_usd"] > 0
    assert arbitration.latency["stage"].to_pylist() == ["prompt", "llm"]
    arbitrated(server, ledger, [task()])
    assert len(lines(log)) == 1 + asked_again


@pytest.mark.parametrize(
    ("fault", "attempts", "code", "asked_again"),
    [
        ("500", 2, "server_error", True),
        ("503", 2, "server_error", True),
        ("reset", 2, "connection_lost", True),
        ("hang", 2, "timeout", True),
        ("drip", 2, "timeout", True),
        ("not-json", 2, "malformed_response", True),
        ("deep", 2, "malformed_response", True),
        ("huge", 2, "malformed_response", True),
        ("odd-choice", 2, "malformed_response", True),
        ("content-filter", 1, "content_filter", True),
        ("context-length", 1, "context_length_exceeded", False),
    ],
)
def test_api_failures_cost_nothing_and_enter_no_latency(
    server, log, ledger, fault, attempts, code, asked_again
):
    seconds = 0.3 if fault in ("hang", "drip") else 10
    arbitration = arbitrated(server, ledger, [task()], fault, timeout_s=seconds)
    result = row(arbitration)
    assert result["outcome"] == "api_failure" and result["selected_id"] is None
    assert (result["tokens_in"], result["token_source"]) == (ESTIMATE, "estimate")
    assert (result["tokens_out"], result["cost_usd"]) == (0, 0)
    assert arbitration.latency["stage"].to_pylist() == ["failure"]
    kept = recorded(ledger)["attempts"]
    assert [attempt["code"] for attempt in kept] == [code] * attempts
    assert len(lines(log)) == attempts
    arbitrated(server, ledger, [task()])
    assert len(lines(log)) == attempts + asked_again


@pytest.mark.parametrize(
    "fault",
    ["500:1", "503:1", "reset:1", "hang:1", "drip:1", "429:1", "not-json:1", "odd-choice:1"],
)
def test_a_passing_fault_is_retried_and_kept(server, log, ledger, fault):
    arbitration = arbitrated(server, ledger, [task()], fault)
    assert row(arbitration)["outcome"] == "ok"
    first, second = recorded(ledger)["attempts"]
    assert first["verdict"] != "answered" and second["verdict"] == "answered"
    assert first["waited_s"] >= 0.5 and second["waited_s"] == 0
    latency = {entry["stage"]: entry["wall_ms"] for entry in arbitration.latency.to_pylist()}
    assert latency["llm"] == second["wall_ms"] and set(latency) == {"prompt", "llm"}
    assert len(lines(log)) == 2


def test_retry_after_is_respected_and_counted(server, ledger):
    arbitrated(server, ledger, [task()], "429-retry-after:1")
    first, _ = recorded(ledger)["attempts"]
    assert first["retry_after_s"] == 1 and first["waited_s"] >= 1 and first["status"] == 429


@pytest.mark.parametrize("fault", ["429", "429-retry-after"])
def test_a_rate_limit_that_outlasts_the_patience_stops_resumably(server, log, ledger, fault):
    with pytest.raises(RunStopped, match="429.*outlasted llm.patience_s.*same command"):
        arbitrated(server, ledger, [task()], fault)
    assert len(lines(log)) == 2 and recorded(ledger)["kind"] == "failure"
    assert row(arbitrated(server, ledger, [task()]))["outcome"] == "ok"


def test_a_rate_limit_does_not_use_up_the_attempts(server, log, ledger):
    result = arbitrated(server, ledger, [task()], "429:2", max_attempts=1, patience_s=5)
    assert row(result)["outcome"] == "ok" and len(lines(log)) == 3


def test_a_retry_after_beyond_the_patience_is_not_waited_for(server, log, ledger):
    with pytest.raises(RunStopped, match="outlasted"):
        arbitrated(server, ledger, [task()], "429-retry-after", patience_s=0.5)
    assert len(lines(log)) == 1


@pytest.mark.parametrize(
    ("fault", "told"), [("bad-key", rf"key in {KEY_VARIABLE} is refused"), ("quota", "quota")]
)
def test_what_no_call_survives_stops_the_run_at_once(server, log, ledger, fault, told, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with pytest.raises(RunStopped, match=told) as stopped:
        arbitrated(server, ledger, [task()], fault, api_key_variable=KEY_VARIABLE)
    assert len(lines(log)) == 1 and KEY not in str(stopped.value)
    assert KEY not in ledger.read_text()


def test_no_server_stops_the_run(ledger):
    with arbiter() as server:
        gone = server.base_url
    llm = settings(gone)
    with pytest.raises(RunStopped, match="no server answers there"):
        arbitrate([task()], llm, ledger)
    assert len(recorded(ledger)["attempts"]) == 2


def test_a_wrong_path_stops_the_run(server, ledger):
    llm = settings(server.base_url.removesuffix("/v1"))
    with pytest.raises(RunStopped, match="refuses every call .404"):
        arbitrate([task()], llm, ledger)


@pytest.mark.parametrize("fault", ["no-usage", "odd-usage"])
def test_missing_usage_is_estimated_and_marked(server, ledger, fault):
    result = row(arbitrated(server, ledger, [task()], fault))
    assert (result["outcome"], result["token_source"]) == ("ok", "estimate")
    assert (result["tokens_in"], result["tokens_out"]) == (ESTIMATE, 21 // 4)


def test_the_context_window_is_a_failure_of_the_call(ledger):
    with arbiter(context_window=100) as server:
        result = row(arbitrated(server, ledger, [task()]))
    assert (result["outcome"], result["cost_usd"]) == ("api_failure", 0)


def test_the_ledger_keeps_served_model_fingerprint_and_usage(server, ledger):
    arbitrated(server, ledger, [task()])
    record = recorded(ledger)
    assert record["served_model"] == "offline-arbiter-1" and record["model"] == "gpt-4o-mini"
    assert record["fingerprint"] and record["usage"]["prompt_tokens"] == chat_tokens(PROMPT)
    assert record["parameters"]["temperature"] == 0
    assert Ledger.read(ledger).replayed(record["call"]) == record


def test_half_a_surrogate_pair_in_a_servers_name_ends_no_run_and_no_replay(
    server, ledger, tmp_path
):
    done = arbitrated(server, ledger, [task()], "odd-names")
    assert done.facts["served"] == [{"model": r"\ud800", "fingerprint": r"\udfff"}]
    write_json(tmp_path / "facts.json", done.facts)
    assert arbitrated(server, ledger, [task()]).facts == done.facts
    assert recorded(ledger)["served_model"] == "\ud800"  # as older ledgers have it


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0),
    ],
)
def test_forms_of_retry_after(headers, seconds):
    assert retry_after(headers) == seconds


@pytest.mark.parametrize(
    ("field", "value", "outcome"),
    [
        ("content", ["x"], "api_failure"),
        ("content", {"text": "x"}, "api_failure"),
        ("model", 5, "ok"),
        ("system_fingerprint", ["x"], "ok"),
        ("usage", {"prompt_tokens": "9", "completion_tokens": 1}, "ok"),
        ("usage", {"prompt_tokens": -1, "completion_tokens": 1}, "ok"),
        ("usage", {"prompt_tokens": 10**16, "completion_tokens": 1}, "ok"),
        ("usage", {"prompt_tokens": True, "completion_tokens": 1}, "ok"),
        ("usage", {"prompt_tokens": 9, "completion_tokens": 1, "more": float("nan")}, "ok"),
        ("usage", {"prompt_tokens": 9, "completion_tokens": 1, "more": DEEP}, "ok"),
        *(("usage", value, "ok") for value in ("abc", [], 5, True)),
        *(("message", value, "api_failure") for value in ("abc", ["a"], 5)),
        *(("finish_reason", value, "ok") for value in (float("nan"), {"a": [1]}, "x" * 1000)),
        *(("choices", value, "api_failure") for value in ([None], [5], "abc", {"a": 1}, 5, [])),
    ],
)
def test_a_field_of_another_type_harms_no_ledger(
    server, ledger, monkeypatch, field, value, outcome
):
    whole = offline_reply._completion

    def odd(*arguments):
        completion = whole(*arguments)
        choice = completion["choices"][0]
        in_choice = {"content": choice["message"], "message": choice, "finish_reason": choice}
        in_choice.get(field, completion)[field] = value
        return completion

    monkeypatch.setattr(offline_reply, "_completion", odd)
    for _ in range(2):
        done = arbitrated(server, ledger, [task()], timeout_s=10, max_attempts=1)
        assert row(done)["outcome"] == outcome
    records = lines(ledger)
    assert len(records) == (1 if outcome == "ok" else 2)  # an answer is asked for once
    assert all(record["billed_usd"] > 0 and is_whole(record) for record in records)
    assert ledger.stat().st_size < 2000 * len(records)
    assert Ledger.read(ledger).spent_usd > 0
