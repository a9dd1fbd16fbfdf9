"""Recorded vectors: finding, checking, making what is missing, and the lines that refusals are."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
from corpus_files import refusal
from pytest import approx, fixture, mark, raises

from agent_discovery.config import Graph
from agent_discovery.retrieval import embedding_server
from agent_discovery.retrieval.embeddings import (
    BATCH_TEXTS,
    folder_of,
    made,
    read_manifest,
    read_vectors,
    record,
    recorded_files,
    recorded_for,
    write_vectors,
)
from agent_discovery.retrieval.encoders import LOCAL_MODELS, complete, local_encoder

TEXTS = ["a: ", "工具: 搜索", "two words"]
MODEL = "all-MiniLM-L6-v2"


def vectors_of(texts) -> dict[str, np.ndarray]:
    return {text: np.full(4, len(text), np.float32) + np.arange(4) for text in texts}


@fixture
def recordings(tmp_path):
    record(tmp_path, MODEL, "toy", vectors_of(TEXTS), {"dimensions": 4})
    return tmp_path


def same(one: dict, other: dict) -> bool:
    return one.keys() == other.keys() and all((one[text] == other[text]).all() for text in one)


def test_what_is_recorded_is_found_again(recordings):
    assert recorded_for(recordings, "toy") == [MODEL]
    assert recorded_for(recordings, "other") == []
    files = recorded_files(recordings, MODEL)
    assert same(read_vectors(files, [*TEXTS, "not there"]), vectors_of(TEXTS))
    assert read_manifest(recordings)[MODEL]["files"]["toy.parquet"]["vectors"] == 3


def test_the_same_vectors_give_the_same_bytes(tmp_path):
    vectors = vectors_of(TEXTS)
    write_vectors(tmp_path / "one", vectors)
    write_vectors(tmp_path / "two", dict(reversed(vectors.items())))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_changed_or_missing_recording_is_refused(recordings):
    [path] = recorded_files(recordings, MODEL)
    write_vectors(path, vectors_of(["else"]))
    assert f"{path}: recorded vectors are missing or have a wrong checksum" in refusal(
        recorded_files, recordings, MODEL
    )
    path.unlink()
    assert "git checkout recordings" in refusal(recorded_files, recordings, MODEL)


@mark.parametrize(
    "content",
    ["", "[1]", '{"a": 1}', '{"a": {}}', "\x00", "[" * 100_000, '{"a": {"files": null}}']
    + ['{"a": {"files": {"x.parquet": 1}}}', '{"a": {"files": {"x.parquet": {"sha256": 1}}}}']
    + ['{"a": {"files": {"../../x.parquet": {"sha256": "0"}}}}'],
    ids=lambda content: content[:40],
)
def test_a_broken_manifest_is_refused(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    assert "not the manifest of the recorded vectors" in refusal(read_manifest, tmp_path)


def test_a_file_that_is_none_is_refused(tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"PAR1 no")
    assert "no whole file of vectors" in refusal(read_vectors, [tmp_path / "x.parquet"], TEXTS)


def test_names_of_encoders_become_folders():
    assert folder_of(MODEL) == MODEL
    assert folder_of("org/model:0") != folder_of("org-model-0")
    assert "/" not in folder_of("org/model:0")
    for name in ("x" * 10_000, "..", ".", "", "../../x", "\ud800"):
        assert 0 < len(folder_of(name)) < 110 and not folder_of(name).startswith(".")


def test_a_text_without_vector_and_no_model_is_one_line(tmp_path, recordings):
    config = Graph(models=str(tmp_path / "nothing"))
    message = refusal(complete, MODEL, [*TEXTS, "new\ntext"], {}, config, tmp_path)
    assert message.startswith("4 texts have no recorded vector by all-MiniLM-L6-v2 (the first: ")
    assert "install the `dense` extra" in message and "graph.base_url" in message
    found = vectors_of(TEXTS)
    message = refusal(complete, MODEL, [*TEXTS, "new"], found, config, tmp_path)
    assert message.startswith("a text has no recorded vector")
    assert same(complete(MODEL, TEXTS, found, config, tmp_path), found)


def test_an_encoder_that_is_not_here_asks_for_a_server(tmp_path):
    message = refusal(complete, "text-embedding-ada-002", ["x"], {}, Graph(), tmp_path)
    assert "set graph.base_url" in message


def test_wrong_weights_are_refused(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"other")
    message = refusal(local_encoder, MODEL, tmp_path)
    assert "wrong checksum" in message and LOCAL_MODELS[MODEL].weights_sha256[:12] in message


def test_what_is_made_is_kept_batch_by_batch(tmp_path):
    texts = [f"text {number}" for number in range(BATCH_TEXTS + 3)]
    batches = []

    def encode(batch):
        batches.append(len(batch))
        if len(batches) == 2:
            raise KeyboardInterrupt
        return np.array([vectors_of([text])[text] for text in batch])

    with raises(KeyboardInterrupt):
        made(texts, encode, tmp_path)
    kept = read_vectors(tmp_path.glob("*.parquet"), texts)
    assert batches == [BATCH_TEXTS, 3]
    assert set(kept) == set(texts[:BATCH_TEXTS])


@mark.parametrize(
    "answer",
    [np.zeros((1, 4)), np.full((1, 4), np.nan), np.ones((2, 4)), np.ones(4), np.ones((1, 0))],
)
def test_what_is_no_vectors_is_refused(tmp_path, answer):
    assert "the encoder gave" in refusal(made, ["x"], lambda batch: answer, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_other_dimensions_are_refused_before_they_are_kept(tmp_path):
    texts = [f"text {number}" for number in range(BATCH_TEXTS + 3)]

    def encode(batch):
        return np.ones((len(batch), 4 if len(batch) == BATCH_TEXTS else 3))

    message = refusal(made, texts, encode, tmp_path)
    assert "vectors of 3 dimensions, and those that there are have 4" in message
    kept = read_vectors(tmp_path.glob("*.parquet"), texts)
    assert set(kept) == set(texts[:BATCH_TEXTS])
    more = made(texts[BATCH_TEXTS:], lambda batch: np.ones((len(batch), 4)), tmp_path, 4)
    write_vectors(tmp_path / "all", kept | more)
    assert "have 4" in refusal(made, ["x"], lambda batch: np.ones((1, 3)), tmp_path / "none", 4)
    assert not (tmp_path / "none").exists()


def test_kept_vectors_of_different_dimensions_name_their_folder(tmp_path):
    found = {"a": np.ones(4, np.float32), "b": np.ones(3, np.float32)}
    message = refusal(complete, MODEL, ["a", "b"], found, Graph(), tmp_path)
    assert f"{tmp_path}: vectors of one encoder" in message and "(3, 4): delete" in message


class Endpoint(BaseHTTPRequestHandler):
    """Answers in reverse order, or with an error; keeps what it was asked."""

    asked: list = []
    status = 200
    body = b""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked.append((self.path, body, self.headers["authorization"]))
        data = [
            {"object": "embedding", "index": place, "embedding": [len(text), 1.0]}
            for place, text in enumerate(body["input"])
        ]
        answer = {"object": "list", "model": body["model"], "data": data[::-1], "usage": {}}
        if self.status != 200:
            answer = {"error": {"message": "bad sk-secret"}}
        content = self.body or json.dumps(answer).encode()
        self.send_response(self.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass


@fixture
def server(monkeypatch):
    """A running endpoint on this machine: its configuration and its class."""
    monkeypatch.setattr(embedding_server, "RETRIES", 0)
    monkeypatch.setattr(Endpoint, "asked", [])
    monkeypatch.setenv("TOY_KEY", "sk-secret")
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{running.server_port}/v1"
        yield Graph(base_url=url, api_key_variable="TOY_KEY"), Endpoint
        running.shutdown()


def test_a_server_makes_what_is_missing_once(server, tmp_path):
    config, endpoint = server
    found = complete("some/model", ["b", "aaa"], {}, config, tmp_path)
    assert {text: vector.tolist() for text, vector in found.items()} == {"aaa": [3, 1], "b": [1, 1]}
    [(path, body, key)] = endpoint.asked
    assert path == "/v1/embeddings" and key == "Bearer sk-secret"
    assert body["model"] == "some/model" and body["input"] == ["aaa", "b"]
    kept = read_vectors(tmp_path.glob("*.parquet"), ["b", "aaa"])
    assert complete("some/model", ["b", "aaa"], kept, config, tmp_path)["b"] == approx([1, 1])
    assert len(endpoint.asked) == 1


@mark.parametrize("status", [400, 401, 404, 500])
def test_a_server_that_fails_is_one_line_without_the_key(server, monkeypatch, tmp_path, status):
    config, endpoint = server
    monkeypatch.setattr(endpoint, "status", status)
    message = refusal(complete, "m", ["x"], {}, config, tmp_path)
    assert f"{config.base_url}: no vectors by m (HTTP {status})" in message
    assert "secret" not in message


@mark.parametrize(
    "body",
    [b"[" * 100_000, b"null", b"5", b'{"data": null}', b'{"data": [null]}', b'{"data": []}']
    + [b'{"data": [{"index": 0, "embedding": [1' + b"0" * 400 + b"]}]}"]
    + [b'{"data": [{"index": 0, "embedding": ' + b"[" * 500 + b"]" * 500 + b"}]}", b"\xff"],
    ids=lambda body: body[:40].decode(errors="replace"),
)
def test_an_answer_of_another_shape_is_one_line(server, monkeypatch, tmp_path, body):
    config, endpoint = server
    monkeypatch.setattr(endpoint, "body", body)
    assert f"{config.base_url}: no vectors by m (" in refusal(
        complete, "m", ["x"], {}, config, tmp_path
    )
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_is_not_there_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(embedding_server, "RETRIES", 0)
    config = Graph(base_url="http://127.0.0.1:9/v1", api_key_variable=None)
    assert "no vectors by m (APIConnectionError)" in refusal(
        complete, "m", ["x"], {}, config, tmp_path
    )


def test_no_key_is_one_line(monkeypatch, tmp_path):
    monkeypatch.delenv("TOY_KEY", raising=False)
    config = Graph(base_url="http://127.0.0.1:9/v1", api_key_variable="TOY_KEY")
    message = refusal(complete, "m", ["x"], {}, config, tmp_path)
    assert "TOY_KEY is empty" in message and "graph.api_key_variable" in message
