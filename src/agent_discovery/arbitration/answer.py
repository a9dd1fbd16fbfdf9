"""Reading an arbiter's answer strictly: a position in the pool, or a parse failure."""

import json
import re
from typing import Any, NamedTuple

from agent_discovery.reading import no_key_twice

ANSWER_KEY = "selected_index"
_DIGITS = re.compile("[0-9]{1,18}")


class Selection(NamedTuple):
    """What an answer selects: a one-based position, or None and why (`fault`)."""

    position: int | None
    fault: str


def read_answer(content: str, pool_size: int) -> Selection:
    """Read `{"selected_index": i}`.

    i may be an integer, an integral float or a string of digits, from 1 to `pool_size`. Anything
    else, prose around the object included, is a parse failure.
    """
    try:
        answer = json.loads(content, object_pairs_hook=no_key_twice, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return Selection(None, "not one JSON object")
    if not isinstance(answer, dict):
        return Selection(None, "not one JSON object")
    if ANSWER_KEY not in answer:
        return Selection(None, f"no {ANSWER_KEY}")
    position = _whole_number(answer[ANSWER_KEY])
    if position is None:
        return Selection(None, f"{ANSWER_KEY} is not a whole number")
    if not 1 <= position <= pool_size:
        return Selection(None, f"{ANSWER_KEY} is outside of the pool")
    return Selection(position, "")


def _whole_number(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str):
        return int(value) if _DIGITS.fullmatch(value) else None
    return None


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
