"""The one way to a model's server: the `openai` client, with an end to every answer.

A server may answer with a body of any size, packed or not, and at any pace. Here a call has a
number of seconds from its first byte to its last, and its answer a number of bytes.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import openai

from agent_discovery.endpoint import Endpoint
from agent_discovery.errors import InputError

# What a client reads from the environment when it is made: names, since values may hold a password.
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
# Small enough that a socket which takes anything takes a piece at once, or nearly so.
WRITTEN_BYTES = 1 << 14
# Of an answer's headers, those that someone reads; what they say of the body is true no more.
HEADERS_KEPT = ("retry-after", "retry-after-ms", "x-should-retry", "x-request-id")


class CallTooLong(TimeoutError):
    """The seconds that a call may take are over."""


class BodyRefused(ValueError):
    """The body of an answer is larger than it may be, or packed, which it was asked not to be."""


def model_client(
    endpoint: Endpoint, timeout_s: float, greatest_body: int, max_retries: int = 0
) -> openai.OpenAI:
    """A client of `endpoint` whose every attempt ends after `timeout_s`; close it after use.

    An answer beyond `greatest_body` bytes is BodyRefused, as the error or as its cause. Raises
    InputError where a proxy or a certificate that the environment names cannot be used.
    """
    # A proxy from the environment has no business between us and our own machine.
    trust_env = not endpoint.loopback
    try:
        http = _BoundedClient(timeout_s, greatest_body, trust_env)
        return openai.OpenAI(
            api_key=endpoint.key,
            base_url=endpoint.base_url,
            timeout=timeout_s,
            max_retries=max_retries,
            http_client=http,
        )
    except Exception as error:  # of four libraries, and their words may quote a password
        what = f"{endpoint.base_url}: no connection can be set up ({type(error).__name__})"
        raise InputError(f"{what}: {_remedy(error, trust_env)}") from None


def _remedy(error: Exception, trust_env: bool) -> str:
    if isinstance(error, OSError):  # a file that cannot be read, or holds no certificates
        return f"mend or unset {_named(CERTIFICATES) or CERTIFICATES[0]} in the environment"
    named = _named((*PROXIES, *map(str.lower, PROXIES)))
    if not (trust_env and named):
        return "mend the base_url"
    return (
        f"mend or unset {named} in the environment (a proxy is http://HOST:PORT or "
        "https://HOST:PORT; SOCKS needs the package socksio)"
    )


def _named(variables: Iterable[str]) -> str:
    return ", ".join(name for name in variables if os.environ.get(name))


class _BoundedClient(openai.DefaultHttpxClient):
    """The SDK's HTTP client; safe to use from several threads, as that is."""

    def __init__(self, timeout_s: float, greatest_body: int, trust_env: bool):
        # A redirect must not carry a prompt elsewhere; a packed body has no size until unpacked.
        super().__init__(
            timeout=timeout_s,
            trust_env=trust_env,
            follow_redirects=False,
            headers={"accept-encoding": "identity"},
        )
        self._timeout_s, self._greatest_body = timeout_s, greatest_body
        self._call = threading.local()

    def send(self, request: Any, **options: Any) -> Any:
        """Send a request and read all of its answer, within the seconds and bytes there are."""
        self._call.ends = time.monotonic() + self._timeout_s
        request.extensions["trace"] = self._watch
        response = super().send(request, **{**options, "stream": True})
        try:
            content = self._body(response)
        finally:
            response.close()
        return type(response)(
            response.status_code, headers=_kept(response), content=content, request=request
        )

    def _body(self, response: Any) -> bytes:
        try:
            return b"".join(self._pieces(response))
        except BodyRefused:
            if response.is_success:
                raise
            return b""  # the status of an error says enough

    def _pieces(self, response: Any) -> Iterator[bytes]:
        if response.headers.get("content-encoding", "").lower() not in ("", "identity"):
            raise BodyRefused("a packed body, which was not asked for")
        size = 0
        for piece in response.iter_raw():
            size += len(piece)
            if size > self._greatest_body:
                raise BodyRefused(f"a body of more than {self._greatest_body:,} bytes")
            yield piece

    def _watch(self, event: str, told: dict[str, Any]) -> None:
        """Give each new connection's stream a clock: the library's own starts anew at each byte."""
        stream = told.get("return_value")
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            stream.read = partial(self._read, stream.read)
            stream.write = partial(self._write, stream.write)

    def _read(
        self, read: Callable[..., bytes], max_bytes: int, timeout: float | None = None
    ) -> bytes:
        return read(max_bytes, timeout=self._left())

    def _write(
        self, write: Callable[..., None], content: bytes, timeout: float | None = None
    ) -> None:
        for start in range(0, len(content), WRITTEN_BYTES):
            write(content[start : start + WRITTEN_BYTES], timeout=self._left())

    def _left(self) -> float:
        left = self._call.ends - time.monotonic()
        if left <= 0:
            raise CallTooLong(f"it took more than {self._timeout_s} seconds")
        return left


def _kept(response: Any) -> dict[str, str]:
    """The headers to keep; the type without a charset, as some are no encodings of text."""
    kept = {name: response.headers[name] for name in HEADERS_KEPT if name in response.headers}
    return {**kept, "content-type": response.headers.get("content-type", "").partition(";")[0]}
