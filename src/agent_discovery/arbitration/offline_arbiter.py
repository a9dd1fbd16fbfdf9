"""The offline arbiter: a small deterministic server that stands in for an LLM on this machine.

It speaks chat completions over HTTP, counts o200k tokens by the provider's formula, refuses what
outgrows its context window as the provider does, and can be told to misbehave. It picks by lexical
overlap, so its accuracy says nothing of an LLM's.
"""

import json
import select
import socket
import struct
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TextIO

from agent_discovery.arbitration.offline_faults import CONNECTION_MODES, Fault, Refusal, read_fault
from agent_discovery.arbitration.offline_reply import Reply, error_reply, read_body, respond
from agent_discovery.arbitration.request import call_key
from agent_discovery.arbitration.tokens import chat_tokens, count
from agent_discovery.errors import InputError, tell

HOST = "127.0.0.1"
PATH = "/v1/chat/completions"
FAULT_HEADER = "x-arbiter-fault"
GREATEST_BODY = 64 << 20
HANG_S, DRIP_S = 600.0, 0.1
STOP_S = 5.0


class OfflineArbiter(ThreadingHTTPServer):
    """Serves on a loopback port; `port` 0 takes a free one. `log` gets a JSON line a request."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self,
        port: int = 0,
        context_window: int = 128_000,
        fault: Fault | None = None,
        log: str | Path | None = None,
    ):
        self.context_window = context_window
        self._fault = fault
        self._seen: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._log = _opened(log) if log else None
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as error:
            told = getattr(error, "strerror", None) or error
            raise InputError(
                f"port {port} on {HOST}: {told}: choose another (0 takes a free one)"
            ) from None

    @property
    def base_url(self) -> str:
        """What clients take as their base URL."""
        return f"http://{HOST}:{self.server_port}/v1"

    def fault_for(self, call: str, header: str | None) -> str:
        """The mode in which this request is to fail; "" for none. Notes the request."""
        fault = read_fault(header) if header else self._fault
        with self._lock:
            self._seen[call] += 1
            lasts = fault and (fault.times is None or self._seen[call] <= fault.times)
        return fault.mode if fault and lasts else ""

    def note(self, call: str, tokens_in: int, fault: str, status: int | None) -> None:
        """Write a request to the log before it is answered."""
        if self._log:
            line = {"call": call, "tokens_in": tokens_in, "fault": fault, "status": status}
            with self._lock:
                self._log.write(json.dumps(line) + "\n")
                self._log.flush()

    def server_close(self) -> None:
        """Stop listening, and close the log."""
        super().server_close()
        if self._log:
            self._log.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that left is no error of ours; any other is told in one line."""
        error = sys.exception()
        if not isinstance(error, ConnectionError | TimeoutError):
            tell(f"offline arbiter: {error!r}")


def _opened(log: str | Path) -> TextIO:
    try:
        Path(log).parent.mkdir(parents=True, exist_ok=True)
        return open(log, "a", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{log}: {error.strerror}: choose another file for the log") from None


class _Handler(BaseHTTPRequestHandler):
    server: OfflineArbiter
    protocol_version = "HTTP/1.1"
    # Without it a small response waits some 40 ms for the client's delayed acknowledgement.
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body leave together

    def do_POST(self) -> None:
        """Answer a chat completion."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > GREATEST_BODY:
            self.close_connection = True
            return self._refuse(_invalid("Content-Length is missing or too large"))
        content = self.rfile.read(int(length))
        if self.path != PATH:
            return self._refuse(Refusal(404, "invalid_request_error", None, "Unknown path."))
        try:
            request = read_body(content)
            call = call_key(request)
            fault = self.server.fault_for(call, self.headers.get(FAULT_HEADER))
        except InputError as error:
            return self._refuse(_invalid(str(error)))
        self._answer(request, call, fault)

    def _answer(self, request: dict[str, Any], call: str, fault: str) -> None:
        tokens_in = chat_tokens(request["messages"])
        if fault in CONNECTION_MODES:
            self.server.note(call, tokens_in, fault, None)
            return self._break(fault)
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        reply = respond(request, tokens_in, fault, self.server.context_window, key)
        self.server.note(call, tokens_in, fault, reply.status)
        self._send(reply)

    def _break(self, fault: str) -> None:
        """Leave the client without an answer: for long (until it leaves), or at once."""
        if fault == "hang":
            select.select([self.connection], [], [], HANG_S)
        elif fault == "drip":
            self._drip()
        else:  # a socket that is closed without lingering sends a reset
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
        self.close_connection = True

    def _drip(self) -> None:
        """Begin an answer, and go on a byte at a time until the client leaves."""
        self._head(200, GREATEST_BODY)
        while not select.select([self.connection], [], [], DRIP_S)[0]:
            self.wfile.write(b" ")
            self.wfile.flush()

    def _refuse(self, refusal: Refusal) -> None:
        self._send(error_reply(refusal))

    def _send(self, reply: Reply) -> None:
        self._head(reply.status, len(reply.body), reply.headers)
        self.wfile.write(reply.body)
        self.wfile.flush()

    def _head(self, status: int, size: int, more: Iterable[tuple[str, str]] = ()) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(size))
        for name, value in more:
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing: the request log is `note`'s."""


def _invalid(message: str) -> Refusal:
    return Refusal(400, "invalid_request_error", None, message)


@contextmanager
def running_offline_arbiter(
    context_window: int = 128_000, fault: str = "", log: str | Path | None = None
) -> Iterator[str]:
    """Run the offline arbiter in a process of its own; yields its base URL. Stopped in any case.

    It ends by itself when this process is gone, however it went.
    """
    command = [sys.executable, "-m", "agent_discovery.cli", "serve-offline-arbiter"]
    command += ["--port", "0", "--context-window", str(context_window), "--until-input-ends"]
    command += ["--fault", fault] if fault else []
    command += ["--log", str(log)] if log else []
    # In a session of its own, so that Ctrl-C lets the calls under way end before it does.
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        base_url = process.stdout.readline().strip()
        if not base_url:
            raise InputError("the offline arbiter did not start: the lines above say why")
        yield base_url
    finally:
        process.terminate()
        process.stdin.close()
        process.stdout.close()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def serve(
    port: int,
    context_window: int,
    fault: str = "",
    log: str | Path | None = None,
    until_input_ends: bool = False,
) -> None:
    """Print the base URL, then serve until stopped, or (if asked) until standard input ends."""
    with OfflineArbiter(port, context_window, read_fault(fault) if fault else None, log) as server:
        if until_input_ends:
            threading.Thread(target=_stop_when_input_ends, args=(server,), daemon=True).start()
        count("")  # load the vocabulary before the first request
        print(server.base_url, flush=True)
        with suppress(KeyboardInterrupt):
            server.serve_forever()


def _stop_when_input_ends(server: OfflineArbiter) -> None:
    sys.stdin.buffer.read()
    server.shutdown()
