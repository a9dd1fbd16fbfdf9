"""The ways in which the offline arbiter can be told to misbehave."""

from collections.abc import Callable
from typing import Any, NamedTuple

from agent_discovery.errors import InputError

RETRY_AFTER_S = 1


class Refusal(NamedTuple):
    """An error as the provider words it."""

    status: int
    type: str
    code: str | None
    message: str
    param: str | None = None
    retry_after_s: int | None = None

    def body(self) -> dict[str, Any]:
        """The body of the response."""
        error = {"message": self.message, "type": self.type, "param": self.param, "code": self.code}
        return {"error": error}


def context_refusal(window: int, tokens_in: int, tokens_out: int) -> Refusal:
    """The prompt (and the answer that it leaves room for) does not fit into the context window."""
    return Refusal(
        400,
        "invalid_request_error",
        "context_length_exceeded",
        f"This model's maximum context length is {window} tokens. However, you requested "
        f"{tokens_in + tokens_out} tokens ({tokens_in} in the messages, {tokens_out} in the "
        "completion). Please reduce the length of the messages or completion.",
        param="messages",
    )


RATE_LIMIT = "Rate limit reached. Please try again later."
SERVER_ERROR = "The server had an error while processing your request."
REFUSALS = {
    "429": Refusal(429, "tokens", "rate_limit_exceeded", RATE_LIMIT),
    "429-retry-after": Refusal(
        429, "tokens", "rate_limit_exceeded", RATE_LIMIT, retry_after_s=RETRY_AFTER_S
    ),
    "quota": Refusal(
        429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota."
    ),
    "500": Refusal(500, "server_error", None, SERVER_ERROR),
    "503": Refusal(503, "server_error", None, "The engine is currently overloaded."),
    "bad-key": Refusal(
        401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: {key}."
    ),
    "content-filter": Refusal(
        400, "invalid_request_error", "content_filter", "The prompt was filtered."
    ),
    "context-length": context_refusal(0, 1, 0),
}
# Each makes the answer's content from the index picked and the size of the pool.
CONTENTS: dict[str, Callable[[int, int], str]] = {
    "empty": lambda index, size: "",
    "cut-off": lambda index, size: '{"selected_index": ',
    "index-zero": lambda index, size: '{"selected_index": 0}',
    "index-beyond": lambda index, size: f'{{"selected_index": {size + 1}}}',
    "index-string": lambda index, size: f'{{"selected_index": "{index}"}}',
    "index-float": lambda index, size: f'{{"selected_index": {index}.0}}',
    "index-fraction": lambda index, size: f'{{"selected_index": {index}.5}}',
    "index-true": lambda index, size: '{"selected_index": true}',
    "index-null": lambda index, size: '{"selected_index": null}',
    "index-list": lambda index, size: f'{{"selected_index": [{index}]}}',
    "prose": lambda index, size: f'My choice:\n{{"selected_index": {index}}}\nIt fits best.',
}
CUT_OFF_MODES = ("cut-off",)
CONNECTION_MODES = ("reset", "hang", "drip")
# Whole bodies that are no answer; the largest is larger than a client should read.
BODIES = {
    "not-json": b"<html>a proxy's page</html>",
    "deep": b"[" * 100_000,
    "huge": b" " * (5 << 20),
}
# What stands in the place of a sound answer's fields.
FIELDS: dict[str, dict[str, Any]] = {
    "odd-choice": {"choices": [None]},
    "odd-usage": {"usage": {"prompt_tokens": 10**400, "completion_tokens": float("nan")}},
    "odd-names": {"model": "\ud800", "system_fingerprint": "\udfff"},
}
SHAPE_MODES = ("no-usage", "echo-key", *BODIES, *FIELDS)
MODES = (*REFUSALS, *CONTENTS, *CONNECTION_MODES, *SHAPE_MODES)


class Fault(NamedTuple):
    """A mode, and for how many requests of each prompt it lasts (None: for all)."""

    mode: str
    times: int | None = None


def read_fault(text: str) -> Fault:
    """Read MODE or MODE:TIMES; InputError for a mode that there is not."""
    mode, colon, times = text.partition(":")
    if mode not in MODES or (colon and not times.isdecimal()):
        raise InputError(
            f"fault {text!r}: not MODE or MODE:TIMES with MODE one of {', '.join(MODES)}"
        )
    return Fault(mode, int(times) if colon else None)
