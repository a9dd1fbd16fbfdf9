"""What a line of the ledger must be, so that whatever reads one can rely on it.

Texts are not checked for valid Unicode: an answer may hold half of a surrogate pair, and is kept.
"""

from collections.abc import Callable, Mapping
from typing import Any

ANSWER, REFUSAL, UNUSABLE, FAILURE, ASKED = "answer", "refusal", "unusable", "failure", "asked"
REPLAYED = (ANSWER, REFUSAL)
GREATEST_USD, BILLED_USD = "greatest_usd", "billed_usd"
SETTLED = "settled"  # how many of the call's `asked` lines a record takes the place of
COUNTS = ("prompt_tokens", "completion_tokens")
GREATEST_NUMBER = 1e15

Record = dict[str, Any]
Check = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_amount(value: Any) -> bool:
    """Dollars or milliseconds; NaN is neither."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value <= GREATEST_NUMBER


def is_count(value: Any) -> bool:
    """Whether a value is a number of tokens that a record may hold."""
    return isinstance(value, int) and _is_amount(value)


def _is_usage(value: Any) -> bool:
    told = isinstance(value, dict) and all(is_count(value.get(name)) for name in COUNTS)
    return value is None or told


def _are_times(*names: str) -> Check:
    return lambda value: (
        isinstance(value, dict) and all(_is_amount(value.get(name)) for name in names)
    )


NEEDED: Mapping[str, Mapping[str, Check]] = {
    ANSWER: {
        "model": _is_text,
        "content": _is_text,
        "usage": _is_usage,
        "served_model": _is_text_or_none,
        "fingerprint": _is_text_or_none,
        "measured": _are_times("prompt_ms", "prompt_cpu_ms", "llm_ms", "llm_cpu_ms"),
    },
    REFUSAL: {"model": _is_text, "measured": _are_times("failure_ms")},
    UNUSABLE: {},
    FAILURE: {},
    ASKED: {GREATEST_USD: _is_amount},
}


def is_whole(record: Any) -> bool:
    """Whether a JSON value is a record that can be replayed, counted, or kept."""
    if not isinstance(record, dict) or not isinstance(record.get("call"), str):
        return False
    kind = record.get("kind")
    if not isinstance(kind, str) or kind not in NEEDED:
        return False
    held = all(key in record and check(record[key]) for key, check in NEEDED[kind].items())
    return held and _is_amount(record.get(BILLED_USD, 0.0)) and is_count(record.get(SETTLED, 0))
