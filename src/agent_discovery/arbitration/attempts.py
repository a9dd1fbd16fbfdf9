"""What came of one attempt, and what that means for the call: retry, give up, or stop the run."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any

import openai

from agent_discovery.errors import InputError
from agent_discovery.model_client import BodyRefused, CallTooLong

MESSAGE_CHARACTERS = 300
SHORTEST_SECRET = 8  # a local server's key may be a word such as "none"; that is no secret
BACKOFF_S, LONGEST_BACKOFF_S = 0.5, 30.0
MOST_DOUBLINGS = 10  # more than the longest needs; a thousand would be no float

CONTEXT_CODES = {"context_length_exceeded", "string_above_max_length", "exceed_context_size_error"}
CONTEXT_WORDS = ("context length", "context size", "context window")
SETTING_CODES = {"model_not_found", "invalid_api_key", "unsupported_parameter", "unsupported_value"}
QUOTA_CODE = "insufficient_quota"


class Verdict(Enum):
    """What an attempt means for its call."""

    ANSWERED = "answered"
    TRANSIENT = "transient"  # retried up to max_attempts, then a failure of the call
    UNREACHABLE = "unreachable"  # retried likewise, then the run stops: there is no server
    RATE_LIMIT = "rate limit"  # retried as long as the patience lasts, then the run stops
    REFUSED = "refused"  # the model cannot take this prompt, ever
    FAILED = "failed"  # this call fails, now
    SETTING = "setting"  # no call can succeed until a setting is mended: the run stops


class RunStopped(InputError):
    """The run cannot go on for now; answers so far are in the ledger, the same command resumes."""


@dataclass
class Attempt:
    """One request sent: times in milliseconds, waits in seconds."""

    verdict: Verdict
    status: int | None = None
    code: str = ""
    message: str = ""
    retry_after_s: float | None = None
    may_be_billed: bool = False
    wall_ms: float = 0.0
    waited_s: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """The attempt as the ledger keeps it."""
        return {
            "verdict": self.verdict.value,
            "status": self.status,
            "code": self.code,
            "message": self.message,
            "retry_after_s": self.retry_after_s,
            "waited_s": round(self.waited_s, 3),
            "wall_ms": round(self.wall_ms, 3),
        }


def kept_text(text: str, secret: str, longest: int | None = MESSAGE_CHARACTERS) -> str:
    """A server's text as it is kept: cut, and without the secret, whatever it repeats of it."""
    if len(secret) >= SHORTEST_SECRET:
        text = text.replace(secret, "[key]")
    return text[:longest]


def attempt_of(error: Exception, secret: str) -> Attempt:
    """Read an error of a call, the SDK's or that of reading an answer; nothing holds the secret."""
    cause = type(error.__cause__).__name__
    if isinstance(error, openai.APITimeoutError) and cause == "ConnectTimeout":
        return Attempt(Verdict.UNREACHABLE, code="connect_timeout")
    if isinstance(error, openai.APITimeoutError | CallTooLong):
        return Attempt(Verdict.TRANSIENT, code="timeout", may_be_billed=True)
    if isinstance(error, openai.APIConnectionError):
        if cause == "ConnectError":
            return Attempt(Verdict.UNREACHABLE, code="cannot_connect")
        return Attempt(Verdict.TRANSIENT, code="connection_lost", may_be_billed=True)
    if isinstance(error, openai.APIStatusError):
        return _status_attempt(error, secret)
    told = str(error) if isinstance(error, BodyRefused) else type(error).__name__
    return Attempt(Verdict.TRANSIENT, code="malformed_response", message=told, may_be_billed=True)


def _status_attempt(error: openai.APIStatusError, secret: str) -> Attempt:
    body = error.body if isinstance(error.body, Mapping) else {}
    code = _told(body.get("code")) or _told(body.get("type"))
    message = _told(body.get("message"))
    return Attempt(
        _status_verdict(error.status_code, code, message),
        status=error.status_code,
        code=kept_text(code, secret),
        # A refused key is quoted, in part, by the answer that refuses it.
        message="" if error.status_code in (401, 403) else kept_text(message, secret),
        retry_after_s=retry_after(error.response.headers),
    )


def _told(value: Any) -> str:
    """A text or a number of an error's body; "" for anything else, which may be nested deep."""
    return str(value) if isinstance(value, str | int | float) else ""


def _status_verdict(status: int, code: str, message: str) -> Verdict:
    if status in (401, 403, 404) or status < 400 or code in SETTING_CODES | {QUOTA_CODE}:
        return Verdict.SETTING
    if status == 429:
        return Verdict.RATE_LIMIT
    if status in (408, 409) or status >= 500:
        return Verdict.TRANSIENT
    if code in CONTEXT_CODES or any(words in message.lower() for words in CONTEXT_WORDS):
        return Verdict.REFUSED
    return Verdict.FAILED


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks to wait; None where it names none that make sense."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        moment = parsedate_to_datetime(headers["retry-after"])
        return max(0.0, moment.timestamp() - time.time())
    except (KeyError, ValueError, TypeError, OverflowError):
        return None


def wait_before_next(attempts: list[Attempt], max_attempts: int, patience_s: float) -> float | None:
    """Seconds to wait before the call's next attempt; None when there is to be none.

    A server's retry-after is respected. Rate limits use up the patience (seconds waited for them
    in all), other errors the attempts.
    """
    last = attempts[-1]
    limited = [attempt for attempt in attempts if attempt.verdict is Verdict.RATE_LIMIT]
    others = len(attempts) - len(limited)
    if last.verdict is Verdict.RATE_LIMIT:
        waited, tries = sum(attempt.waited_s for attempt in limited), len(limited)
    elif last.verdict in (Verdict.TRANSIENT, Verdict.UNREACHABLE) and others < max_attempts:
        waited, tries = 0.0, others
    else:
        return None
    doublings = min(tries - 1, MOST_DOUBLINGS)
    wait = last.retry_after_s or min(BACKOFF_S * 2**doublings, LONGEST_BACKOFF_S)
    return wait if waited + wait <= patience_s else None


def why_stopped(attempt: Attempt, base_url: str, key_variable: str | None) -> str:
    """The line that tells why the run stops at this attempt, and what to do."""
    again = "answers so far are in the ledger; run the same command to go on"
    if attempt.verdict is Verdict.RATE_LIMIT:
        return (
            f"{base_url}: the rate limit (429) outlasted llm.patience_s: {again}, later or with a "
            "lower llm.tokens_per_minute"
        )
    if attempt.verdict is Verdict.UNREACHABLE:
        return f"{base_url}: no server answers there: start it or mend llm.base_url; {again}"
    if attempt.status == 401:
        return f"{base_url}: the key in {key_variable} is refused (401): mend it; {again}"
    if attempt.code == QUOTA_CODE:
        return f"{base_url}: the account's quota is used up (429): raise it; {again}"
    told = f"{attempt.status} {attempt.code} {attempt.message}".rstrip()
    return f"{base_url}: refuses every call ({told}): mend llm.model or llm.base_url; {again}"
