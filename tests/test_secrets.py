"""A marked key goes through everything that uses one, and is searched for in every byte left."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from arbiter_world import KEY, KEY_VARIABLE
from checkout import error_lines, lay_out, snakemake

pytestmark = pytest.mark.workflow

CORPUS = "mcpproxy_golden"
RQ3 = f"results/default/rq3/{CORPUS}"
TARGETS = [f"{RQ3}/table4.md", f"{RQ3}/provenance.json"]
EMBEDDED = [f"results/default/graph/{CORPUS}/provenance.json"]
SIZES = "sizes: [20], k: 5, depths: [5], sample_size: 3, validation_size: 5"


class Parrot(BaseHTTPRequestHandler):
    """A server that repeats the key that it is sent in every field it has."""

    protocol_version = "HTTP/1.1"
    status = 200
    keys: set[str] = set()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        key = self.headers["authorization"].removeprefix("Bearer ")
        self.keys.add(key)
        if self.status != 200:
            answer = {"error": {"message": f"bad {key}", "type": key, "code": key, "param": key}}
        elif "input" in body:
            rows = [[float(len(text)), 1.0] for text in body["input"]]
            data = [
                {"object": key, "index": place, "embedding": row} for place, row in enumerate(rows)
            ]
            answer = {"object": key, "model": key, "data": data, "usage": {key: key}}
        else:
            message = {"role": "assistant", "content": json.dumps({"selected_index": 1, key: key})}
            usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12, key: [key]}
            choice = {"index": 0, "message": message, "finish_reason": key}
            answer = {"id": key, "object": key, "created": 0, "model": key, "choices": [choice]}
            answer |= {"system_fingerprint": key, "usage": usage}
        content = json.dumps(answer).encode()
        self.send_response(self.status)
        self.send_header("content-type", "application/json")
        self.send_header("x-request-id", key)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def url(monkeypatch) -> Iterator[str]:
    monkeypatch.setattr(Parrot, "keys", set())
    with ThreadingHTTPServer(("127.0.0.1", 0), Parrot) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@contextmanager
def watched_processes() -> Iterator[list[bytes]]:
    """The command lines of all processes that were seen to hold the key while the block ran."""
    found: list[bytes] = []
    looked: set[str] = set()
    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(0.05):
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    line = path.read_bytes()
                except OSError:  # it has ended
                    continue
                looked.add(path.parts[2])
                if KEY.encode() in line:
                    found.append(line)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield found
    finally:
        stop.set()
        thread.join()
        assert len(looked) > 1


def holding(folder: Path) -> list[Path]:
    """The files whose name or bytes hold the key, plain or in base64."""
    forms = [KEY.encode(), base64.b64encode(KEY.encode())[:-4]]
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    assert len(files) > 50 and any(".snakemake" in path.parts for path in files)
    return [
        path
        for path in files
        if KEY in str(path) or any(form in path.read_bytes() for form in forms)
    ]


def run(folder: Path, url: str, *targets: str):
    llm = f"llm={{arbiter: live, base_url: '{url}', api_key_variable: {KEY_VARIABLE}}}"
    graph = f"graph={{encoders: [some/model], base_url: '{url}', api_key_variable: {KEY_VARIABLE}}}"
    config = [f"corpus={CORPUS}", f"rq3={{{SIZES}}}", llm, graph]
    with watched_processes() as seen:
        ended = snakemake(folder, *targets, "--config", *config, **{KEY_VARIABLE: KEY})
    assert KEY not in ended.stdout and seen == []
    return ended


def test_a_marked_key_is_nowhere_once_everything_has_run(tmp_path, url, monkeypatch):
    folder = lay_out(tmp_path / KEY_VARIABLE)
    monkeypatch.setattr(Parrot, "status", 401)
    refused = run(folder, url, *TARGETS, *EMBEDDED, "--keep-going")
    assert refused.returncode == 2
    told = "\n".join(error_lines(refused.stdout))
    assert f"the key in {KEY_VARIABLE} is refused" in told and "(HTTP 401)" in told
    monkeypatch.setattr(Parrot, "status", 200)
    ended = run(folder, url, *TARGETS, *EMBEDDED)
    assert ended.returncode == 0, ended.stdout
    # It was really sent, and what was answered is really there.
    assert Parrot.keys == {KEY}
    ledger = (folder / RQ3 / "measured/ledger.jsonl").read_text()
    assert ledger.count('"kind": "answer"') >= 3 and "[key]" in ledger
    assert list((folder / "results/default/embeddings").rglob("*.parquet"))
    assert holding(folder) == []
