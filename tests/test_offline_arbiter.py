"""The offline arbiter over HTTP, without the client."""

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from statistics import median

import pytest
from arbiter_world import CARDS, arbiter, lines

from agent_discovery.arbitration.offline_arbiter import running_offline_arbiter
from agent_discovery.arbitration.offline_faults import MODES, read_fault
from agent_discovery.arbitration.offline_pick import pick
from agent_discovery.arbitration.prompt import Candidate, messages_for, user_message
from agent_discovery.arbitration.request import call_key, request_body
from agent_discovery.arbitration.tokens import chat_tokens
from agent_discovery.cli import main
from agent_discovery.config import Llm
from agent_discovery.errors import InputError

REQUEST = request_body(Llm(), "any-model", messages_for("book a hotel", CARDS))


def post(base_url, body=REQUEST, fault=None, path="/chat/completions"):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"x-arbiter-fault": fault} if fault else {}
    request = urllib.request.Request(base_url + path, content, headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.fixture
def server():
    with arbiter() as running:
        yield running


def test_an_answer_has_the_providers_shape(server):
    status, body = post(server.base_url)
    (choice,) = body["choices"]
    assert status == 200 and choice["finish_reason"] == "stop"
    assert json.loads(choice["message"]["content"]) == {"selected_index": 3}
    tokens = chat_tokens(REQUEST["messages"])
    assert body["usage"] == {
        "prompt_tokens": tokens,
        "completion_tokens": 7,
        "total_tokens": tokens + 7,
    }
    assert body["system_fingerprint"] and body["model"] == "offline-arbiter-1"


def test_answers_are_deterministic(server):
    assert post(server.base_url) == post(server.base_url)


def test_it_listens_on_loopback_only(server):
    assert server.server_address[0] == "127.0.0.1"


def test_the_context_window_holds_prompt_and_answer():
    fits = chat_tokens(REQUEST["messages"]) + REQUEST["max_tokens"]
    with arbiter(context_window=fits) as server:
        assert post(server.base_url)[0] == 200
    with arbiter(context_window=fits - 1) as server:
        status, body = post(server.base_url)
    assert status == 400 and body["error"]["code"] == "context_length_exceeded"
    assert f"maximum context length is {fits - 1} tokens" in body["error"]["message"]


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{", b"{}", {"messages": []}, {"messages": [{"role": "user"}]}]
    + [{"messages": [{"role": "user", "content": [1]}]}],
)
def test_bad_bodies_are_refused(server, body):
    status, answer = post(server.base_url, body)
    assert status == 400 and answer["error"]["type"] == "invalid_request_error"


def test_unknown_paths_and_faults_are_refused(server):
    assert post(server.base_url, path="/completions")[0] == 404
    status, answer = post(server.base_url, fault="no-such-fault")
    assert status == 400 and "one of 429," in answer["error"]["message"]


def test_a_fault_lasts_for_so_many_requests_of_a_prompt():
    other = {**REQUEST, "temperature": 1.0}
    with arbiter(fault=read_fault("500:2")) as server:
        statuses = [post(server.base_url)[0] for _ in range(4)]
        assert statuses == [500, 500, 200, 200] and post(server.base_url, other)[0] == 500


def test_the_log_has_a_line_a_request_under_the_ledgers_key(tmp_path):
    log = tmp_path / "requests.jsonl"
    with arbiter(log) as server:
        post(server.base_url)
        post(server.base_url, fault="503")
    first, second = lines(log)
    assert first["call"] == second["call"] == call_key(REQUEST)
    assert [(entry["status"], entry["fault"]) for entry in (first, second)] == [
        (200, ""),
        (503, "503"),
    ]
    assert first["tokens_in"] == chat_tokens(REQUEST["messages"])


@pytest.mark.parametrize("text", ["", "nothing", "500:", "500:x", "500:-1"])
def test_bad_faults_are_named(text):
    with pytest.raises(InputError, match="not MODE or MODE:TIMES"):
        read_fault(text)
    assert read_fault("hang") == ("hang", None) and "hang" in MODES


def test_pick_by_overlap_then_fewer_words_then_order():
    def picked(query, *descriptions):
        cards = [Candidate("", "", text) for text in descriptions]
        return pick(user_message(query, cards))

    assert picked("book a hotel", "files taxes", "hotel and book", "hotel") == 2
    assert picked("hotel", "hotel trains planes", "hotel trains", "hotel trains") == 2
    assert picked("nothing fits", "one two", "one two") == 1
    assert pick("no candidates at all") == 1 and pick("") == 1


def test_small_answers_are_quick():
    with running_offline_arbiter() as base_url:
        times = []
        for _ in range(21):
            begun = time.perf_counter()
            post(base_url)
            times.append(time.perf_counter() - begun)
    assert median(times) < 0.035  # delayed acknowledgements take 0.04


def test_the_process_ends_with_the_block_and_with_its_parent():
    with running_offline_arbiter() as base_url:
        assert post(base_url)[0] == 200
    with pytest.raises(urllib.error.URLError):
        post(base_url)
    script = (
        "import os\n"
        "from agent_discovery.arbitration.offline_arbiter import running_offline_arbiter\n"
        "with running_offline_arbiter() as base_url:\n"
        "    print(base_url, flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            post(ended.stdout.strip())
        except OSError:
            return
        time.sleep(0.05)
    pytest.fail("the offline arbiter outlived its parent")


def test_bad_command_lines_are_one_line(tmp_path, capsys):
    with arbiter() as server:
        taken = ["--port", str(server.server_port)]
        folder = ["--log", str(tmp_path)]
        for arguments in (["--fault", "nonsense"], taken, ["--port", "99999"], folder):
            with pytest.raises(SystemExit) as ended:
                main(["serve-offline-arbiter", *arguments])
            told = capsys.readouterr()
            assert ended.value.code == 2 and not told.out
            assert len(told.err.splitlines()) == 1 and "error:" in told.err
