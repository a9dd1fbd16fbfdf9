"""Reading the body of a chat completion: what the ledger keeps of it, and no more.

Nothing in it can be relied on: each value is looked at before it is used, and only texts and counts
that someone reads are kept.
"""

import json
from typing import Any

from agent_discovery.arbitration.attempts import kept_text
from agent_discovery.arbitration.ledger_record import ANSWER, COUNTS, UNUSABLE, Record, is_count

CUT_OFF = ("length", "content_filter")


def read_completion(body: bytes, secret: str) -> Record:
    """What a ledger keeps of a completion, without the secret.

    Raises ValueError for what is not one (RecursionError where it is nested too deep to be read).
    """
    completion = json.loads(body)
    choices = completion.get("choices") if isinstance(completion, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = (choice.get("message") or {}) if isinstance(choice, dict) else None
    if not isinstance(message, dict) or not isinstance(message.get("content"), str | None):
        raise ValueError("not a chat completion")
    content = message.get("content") or ""
    finish_reason = _text_or_none(choice.get("finish_reason"), secret)
    usable = bool(content.strip()) and finish_reason not in CUT_OFF
    return {
        "kind": ANSWER if usable else UNUSABLE,
        "content": kept_text(content, secret, longest=None),
        "finish_reason": finish_reason,
        "served_model": _text_or_none(completion.get("model"), secret),
        "fingerprint": _text_or_none(completion.get("system_fingerprint"), secret),
        "usage": _usage(completion.get("usage")),
    }


def _text_or_none(value: Any, secret: str) -> str | None:
    return kept_text(value, secret) if isinstance(value, str) else None


def _usage(value: Any) -> dict[str, int] | None:
    """The counts of tokens, or None where either is missing or is no count."""
    counts = {name: value.get(name) for name in COUNTS} if isinstance(value, dict) else {}
    return counts if counts and all(map(is_count, counts.values())) else None
