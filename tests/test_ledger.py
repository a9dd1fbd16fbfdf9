"""The ledger: durable, locked, and torn only where it can be mended."""

import json
import os
import signal
import subprocess
import sys

import pytest

from agent_discovery.arbitration.ledger import Ledger
from agent_discovery.arbitration.request import call_key, request_body
from agent_discovery.config import Llm
from agent_discovery.errors import InputError

ANSWER = {
    "call": "c",
    "kind": "answer",
    "model": "m",
    "content": '{"selected_index": 1}',
    "usage": {"prompt_tokens": 1, "completion_tokens": 1},
    "served_model": "m",
    "fingerprint": None,
    "measured": {"prompt_ms": 1.0, "prompt_cpu_ms": 1.0, "llm_ms": 1.0, "llm_cpu_ms": 1.0},
}
REFUSED = {"call": "c", "kind": "refusal", "model": "m", "measured": {"failure_ms": 1.0}}
MESSAGES = [{"role": "user", "content": "中文 😀"}]


def answer(call: str, content: str = '{"selected_index": 1}', **values) -> dict:
    return {**ANSWER, "call": call, "content": content, **values}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "ledger.jsonl"


def filled(path, *records):
    with Ledger.writing(path) as ledger:
        for record in records:
            ledger.append(record)


def test_what_is_appended_is_replayed(path):
    filled(path, answer("a"), answer("b"))
    ledger = Ledger.read(path)
    assert ledger.replayed("a") == answer("a") and ledger.replayed("c") is None
    assert ledger.models() == {"m"}


def test_a_missing_file_is_an_empty_ledger(path):
    assert Ledger.read(path).replayed("a") is None and not path.exists()


def test_the_first_answer_stays(path):
    filled(path, answer("a", "first"), answer("a", "second"))
    assert Ledger.read(path).replayed("a")["content"] == "first"


@pytest.mark.parametrize("kind", ["failure", "unusable"])
def test_failures_and_unusable_answers_are_kept_but_not_replayed(path, kind):
    filled(path, {"call": "a", "kind": kind, "model": "m"})
    assert Ledger.read(path).replayed("a") is None and kind in path.read_text()


def test_a_refusal_is_replayed(path):
    filled(path, {**REFUSED, "call": "a"})
    assert Ledger.read(path).replayed("a")["kind"] == "refusal"


@pytest.mark.parametrize("kept", range(1, 40, 7))
def test_a_torn_last_line_is_cut_off(path, kept):
    filled(path, answer("a"))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:kept])
    assert Ledger.read(path).replayed("a")
    filled(path, answer("b"))
    assert path.read_bytes() == whole + whole.replace(b'"a"', b'"b"')


def test_a_last_line_of_zeros_is_cut_off(path):
    filled(path, answer("a"))
    whole = path.read_bytes()
    path.write_bytes(whole + bytes(50) + b"\n")
    filled(path)
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "line",
    ["nonsense", "[]", '{"call": 1}', '{"call": "a", "kind": "?"}', '{"call":"a"}', ""]
    + ['{"call": "a", "kind": []}', '{"call": "a", "kind": "asked", "greatest_usd": null}']
    + ['{"call": "a", "kind": "failure", "billed_usd": NaN}']
    + [json.dumps({**ANSWER, "content": None}), json.dumps({**ANSWER, "usage": {}})]
    + [json.dumps({**ANSWER, "measured": None}), json.dumps({**ANSWER, "served_model": []})]
    + [json.dumps({**REFUSED, "measured": {}}), json.dumps({**ANSWER, "model": {}})],
)
def test_a_bad_line_in_the_middle_is_named(path, line):
    filled(path, answer("a"))
    with path.open("a") as stream:
        stream.write(line + "\n" + json.dumps(answer("b")) + "\n")
    with pytest.raises(InputError, match=r"ledger\.jsonl:2: not a record"):
        Ledger.read(path)


def test_two_runs_cannot_write_one_ledger(path):
    with Ledger.writing(path), pytest.raises(InputError, match="another run is writing"):
        filled(path)
    filled(path)


def test_a_killed_writer_leaves_its_answers_and_no_lock(path):
    script = (
        "import json, os, signal, sys\n"
        "from agent_discovery.arbitration.ledger import Ledger\n"
        "with Ledger.writing(sys.argv[1]) as ledger:\n"
        "    ledger.append(json.loads(sys.argv[2]))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(path), json.dumps(answer("a"))])
    assert ended.returncode == -signal.SIGKILL
    with Ledger.writing(path) as ledger:
        assert ledger.replayed("a")


def test_spending_counts_bills_and_what_a_kill_cut_short(path):
    asked = {"kind": "asked", "greatest_usd": 0.5}
    filled(path, {"call": "a", **asked}, answer("a", billed_usd=0.1))
    assert Ledger.read(path).spent_usd == pytest.approx(0.1)
    filled(path, {"call": "b", **asked}, {"call": "b", **asked})
    assert Ledger.read(path).spent_usd == pytest.approx(1.1)


def test_a_record_settles_its_own_requests_and_not_those_of_a_run_before(path):
    asked = {"call": "a", "kind": "asked", "greatest_usd": 0.5}
    filled(path, asked, asked, answer("a", billed_usd=0.1, settled=1))
    assert Ledger.read(path).spent_usd == pytest.approx(0.6)


@pytest.mark.parametrize(
    "values",
    [
        {"usage": {"prompt_tokens": 10**16, "completion_tokens": 1}},
        {"billed_usd": float("inf")},
        {"content": None},
        {"settled": -1},
    ],
)
def test_what_no_reader_takes_is_not_written(path, values):
    with pytest.raises(ValueError, match="not a record"):
        filled(path, answer("a", **values))
    assert path.read_bytes() == b""


def test_a_last_line_that_is_whole_but_no_record_is_named_not_cut_off(path):
    filled(path, answer("a"))
    usage = {"prompt_tokens": 10**16, "completion_tokens": 1}
    with path.open("a") as stream:
        stream.write(json.dumps(answer("b", usage=usage)) + "\n")
    before = path.read_bytes()
    for use in (Ledger.read, filled):
        with pytest.raises(InputError, match=r"ledger\.jsonl:2: not a record"):
            use(path)
    assert path.read_bytes() == before


def test_unwritable_text_does_not_stop_the_ledger(path):
    filled(path, answer("a", "\ud800"))
    assert Ledger.read(path).replayed("a")


def test_a_full_disk_is_one_line_and_leaves_whole_lines(path, monkeypatch):
    filled(path, answer("a"))
    whole = path.read_bytes()

    def full(stream):
        raise OSError(28, "No space left on device")

    with Ledger.writing(path) as ledger:
        monkeypatch.setattr("os.fsync", full)
        with pytest.raises(InputError, match="No space left on device: make room"):
            ledger.append(answer("b"))
    assert path.read_bytes() == whole


def test_key_depends_on_model_parameters_and_messages_only():
    request = request_body(Llm(), "m", MESSAGES)
    assert call_key(request) == call_key(dict(reversed(request.items())))
    assert call_key(request) == call_key(json.loads(json.dumps(request)))
    changes = [{"model": "n"}, {"temperature": 0.5}, {"max_tokens": 65}, {"messages": []}]
    keys = {call_key({**request, **change}) for change in [{}, *changes]}
    assert len(keys) == 5
    same = Llm(base_url="http://127.0.0.1:1/v1", workers=4, timeout_s=1.0)
    assert call_key(request_body(same, "m", MESSAGES)) == call_key(request)


@pytest.mark.parametrize("use", [Ledger.read, filled])
@pytest.mark.parametrize("name", [".", "pipe", "linked", "/dev/full", "/dev/null", "n\0l", "n\0/l"])
def test_a_ledger_that_is_no_file_is_one_line(tmp_path, use, name):
    """At once: whoever opens a pipe waits for its other end, and a device may have no end."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "linked").symlink_to("pipe")
    with pytest.raises(InputError, match="a ledger must be a file") as error:
        use(tmp_path / name)
    assert str(error.value).isprintable()
