"""The one HTTP client: an end to every answer, and one line where it cannot be made."""

import gzip
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import numpy as np
from corpus_files import refusal
from pytest import fixture, mark, raises

from agent_discovery.arbitration.client import GREATEST_BODY, Client
from agent_discovery.arbitration.ledger import Ledger
from agent_discovery.arbitration.pacing import Pace, SpendingCap
from agent_discovery.config import Graph, Llm
from agent_discovery.endpoint import Endpoint
from agent_discovery.model_client import CERTIFICATES, PROXIES, BodyRefused, model_client
from agent_discovery.retrieval import embedding_server

TIMEOUT_S = 0.8
ANSWER = {"choices": [{"message": {"content": '{"selected_index": 1}'}, "finish_reason": "stop"}]}
VECTORS = {"data": [{"index": 0, "embedding": [1.0, 2.0]}]}
MEASURED = {"prompt_ms": 1.0, "prompt_cpu_ms": 1.0}
REMOTE = Endpoint("http://host.invalid/v1")

Behave = Callable[[socket.socket], None]


@contextmanager
def serving(behave: Behave, seen: list[bytes] | None = None) -> Iterator[str]:
    """A server on this machine that reads a request's first bytes, then behaves so."""

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                with connection, suppress(OSError):
                    first = connection.recv(1 << 16)
                    if seen is not None:
                        seen.append(first)
                    behave(connection)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(1 << 16):  # to close before it is read would reset it
                        pass

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        listening.shutdown(socket.SHUT_RDWR)


def sending(body: bytes, *headers: str, status: int = 200, silence_s: float = 0) -> Behave:
    head = [f"HTTP/1.1 {status} x", "content-type: application/json", "connection: close"]
    head += [f"content-length: {len(body)}", *headers]

    def behave(connection: socket.socket) -> None:
        time.sleep(silence_s)
        connection.sendall("\r\n".join([*head, "", ""]).encode() + body)

    return behave


def dripping(start: bytes, drop: bytes) -> Behave:
    """Begin an answer, then send no more than a drop of it at a time, without end."""

    def behave(connection: socket.socket) -> None:
        connection.sendall(start)
        while True:
            connection.sendall(drop)
            time.sleep(0.02)

    return behave


def asked(behave: Behave, ledger_path, prompt: str = "hi", **values) -> dict:
    """The record of one call to a server that behaves so, by a client that tries once."""
    llm = Llm.model_validate({"max_attempts": 1, "timeout_s": TIMEOUT_S, **values})
    request = {"model": "m", "messages": [{"role": "user", "content": prompt}]}
    with serving(behave) as url, Ledger.writing(ledger_path) as ledger:
        client = Client(llm, Endpoint(url), ledger, Pace(None), SpendingCap(None))
        try:
            return client.ask("c", {**request, "max_tokens": 5}, MEASURED)
        finally:
            client.close()


@fixture
def environment(monkeypatch):
    """Sets variables, with none of those that a client reads beside them."""
    for name in (*PROXIES, *map(str.lower, PROXIES), *CERTIFICATES):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch.setenv


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


@mark.parametrize(
    "behave",
    [
        dripping(HEAD + b"content-length: 9999999\r\n\r\n", b" "),
        dripping(HEAD + b"transfer-encoding: chunked\r\n\r\n", b"0"),
        dripping(HEAD + b"x-long: ", b"x"),
        dripping(b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"),
        dripping(b"HTTP/1.1 429 x\r\ncontent-length: 9999999\r\n\r\n", b" "),
    ],
    ids=["body", "size of a chunk", "header", "informational answers", "body of an error"],
)
def test_an_answer_without_end_ends_when_the_call_has_taken_its_seconds(behave, ledger):
    begun = time.monotonic()
    record = asked(behave, ledger)
    assert TIMEOUT_S <= time.monotonic() - begun < TIMEOUT_S + 2
    [attempt] = record["attempts"]
    assert (attempt["code"], attempt["verdict"]) == ("timeout", "transient")
    assert record["billed_usd"] > 0


def test_a_server_that_reads_slowly_ends_the_call_too(ledger):
    def behave(connection):
        while connection.recv(1 << 15):
            time.sleep(0.01)

    begun = time.monotonic()
    record = asked(behave, ledger, prompt="x" * (30 << 20))
    assert time.monotonic() - begun < TIMEOUT_S + 4
    assert record["attempts"][0]["code"] == "timeout"


def test_a_long_silence_within_the_seconds_is_no_fault(ledger):
    body = json.dumps(ANSWER).encode()
    assert asked(sending(body, silence_s=1.2), ledger, timeout_s=5)["kind"] == "answer"


@mark.parametrize(
    ("behave", "told"),
    [
        (sending(gzip.compress(bytes(1 << 24)), "content-encoding: gzip"), "a packed body"),
        (sending(b" " * (GREATEST_BODY + 1)), f"a body of more than {GREATEST_BODY:,} bytes"),
    ],
)
def test_a_body_too_large_or_packed_is_an_attempt_that_may_be_billed(behave, told, ledger):
    record = asked(behave, ledger, timeout_s=20)
    [attempt] = record["attempts"]
    assert attempt["code"] == "malformed_response" and attempt["message"].startswith(told)
    assert record["kind"] == "failure" and record["billed_usd"] > 0


def test_a_body_of_the_greatest_size_is_read(ledger):
    body = json.dumps(ANSWER).encode().ljust(GREATEST_BODY)
    assert asked(sending(body), ledger, timeout_s=20)["kind"] == "answer"


@mark.parametrize("header", ["content-encoding: gzip", "content-type: text/html; charset=zlib"])
def test_an_error_keeps_its_status_whatever_its_body(header, ledger):
    head = f"HTTP/1.1 400 x\r\ncontent-length: 3\r\n{header}\r\nconnection: close\r\n\r\n"
    record = asked(lambda connection: connection.sendall(head.encode() + b"{\xff}"), ledger)
    assert [attempt["status"] for attempt in record["attempts"]] == [400]
    assert record["billed_usd"] == 0


def test_what_an_error_says_is_cut_and_may_be_of_any_type(ledger):
    long = json.dumps({"error": {"code": "c" * 100_000, "message": "m" * 100_000}}).encode()
    [attempt] = asked(sending(long, status=400), ledger)["attempts"]
    assert (attempt["code"], attempt["message"]) == ("c" * 300, "m" * 300)
    deep = b'{"error": {"code": ' + b"[" * 900 + b"]" * 900 + b', "type": "t", "message": 5}}'
    [attempt] = asked(sending(deep, status=400), ledger)["attempts"]
    assert (attempt["status"], attempt["code"], attempt["message"]) == (400, "t", "5")


def encoder(url: str, monkeypatch, timeout_s: float = 20.0):
    monkeypatch.setattr(embedding_server, "TIMEOUT_S", timeout_s)
    monkeypatch.setattr(embedding_server, "RETRIES", 0)
    return embedding_server.server_encoder("m", Graph(base_url=url, api_key_variable=None))


def test_vectors_have_the_same_bounds(monkeypatch):
    with serving(dripping(HEAD + b"content-length: 9999999\r\n\r\n", b" ")) as url:
        begun = time.monotonic()
        assert "no vectors by m" in refusal(encoder(url, monkeypatch, TIMEOUT_S), ["x"])
        assert time.monotonic() - begun < TIMEOUT_S + 2
    monkeypatch.setattr(embedding_server, "GREATEST_BODY", 1000)
    with serving(sending(json.dumps(VECTORS).encode().ljust(1001))) as url:
        assert "a body of more than 1,000 bytes" in refusal(encoder(url, monkeypatch), ["x"])
    with serving(sending(json.dumps(VECTORS).encode().ljust(1000))) as url:
        assert np.array_equal(encoder(url, monkeypatch)(["x"]), [[1.0, 2.0]])


def test_no_answer_is_asked_for_packed_and_none_is_read_so():
    seen = []
    with serving(sending(gzip.compress(b"{}"), "content-encoding: gzip"), seen) as url:
        client = model_client(Endpoint(url), 5, 1000)
        with raises(BodyRefused):
            client.models.list()
        client.close()
    assert b"\r\naccept-encoding: identity\r\n" in seen[0].lower()


@mark.parametrize("name", ["ALL_PROXY", "HTTPS_PROXY", "http_proxy"])
@mark.parametrize("value", ["::bad", "http://user:passw@host:port", "ftp://user:passw@host"])
def test_a_proxy_that_is_none_is_one_line_with_its_variable_only(environment, name, value):
    environment(name, value)
    message = refusal(model_client, REMOTE, 1, 1)
    assert message.startswith("http://host.invalid/v1: no connection can be set up")
    assert f"mend or unset {name} in" in message
    assert "passw" not in message and "bad" not in message


def test_no_package_for_a_proxy_is_one_line(environment, monkeypatch):
    environment("ALL_PROXY", "socks5://127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "socksio", None)
    assert "needs the package socksio" in refusal(model_client, REMOTE, 1, 1)


def test_certificates_that_are_none_are_one_line(environment, tmp_path):
    environment("SSL_CERT_FILE", str(tmp_path / "none"))
    assert "mend or unset SSL_CERT_FILE in" in refusal(model_client, REMOTE, 1, 1)


def test_our_own_machine_is_asked_past_any_proxy(environment, ledger):
    environment("ALL_PROXY", "::bad")
    assert asked(sending(json.dumps(ANSWER).encode()), ledger, timeout_s=5)["kind"] == "answer"
