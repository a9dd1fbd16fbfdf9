"""Reading JSON, JSON lines and judgments, with the place of every fault."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent_discovery.cards import Judgment, Query
from agent_discovery.errors import InputError, shown
from agent_discovery.reading import check_regular, no_key_twice

QREL_COLUMNS = 4
SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str, where: str) -> Any:
    """Parse JSON; a fault is named with `where`, and a key that an object has twice is one."""
    try:
        value = json.loads(text, object_pairs_hook=no_key_twice)
        if SURROGATE_ESCAPE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{where}: broken JSON ({error.msg}, {place})") from None
    except UnicodeEncodeError:
        raise InputError(
            f"{where}: a \\u escape is half of a surrogate pair, which is not a character: mend it"
        ) from None
    except ValueError as error:
        raise InputError(f"{where}: broken JSON ({error})") from None
    except RecursionError:
        raise InputError(f"{where}: broken JSON (nested too deep)") from None


def read_text(path: Path) -> str:
    """A whole UTF-8 file, regular; a byte-order mark is dropped, line ends are kept."""
    try:
        check_regular(path)
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: not UTF-8: save the file as UTF-8") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """Each non-blank line's value with its place, `file:line`."""
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            where = f"{path}:{number}"
            yield where, parse_json(line, where)


def is_id(value: Any) -> bool:
    """Whether a JSON value can be an id: text that is not blank, or an integer."""
    return isinstance(value, str | int) and not isinstance(value, bool) and bool(str(value).strip())


def read_queries(path: Path, source: str, prefix: str = "") -> list[Query]:
    """Queries from JSON lines with `id` (or `qid`), `text` and optional `steps`."""
    queries: dict[str, Query] = {}
    for where, value in json_lines(path):
        if not isinstance(value, dict):
            raise InputError(f"{where}: a query must be an object with 'id' and 'text'")
        qid, text, steps = value.get("id", value.get("qid")), value.get("text"), value.get("steps")
        if not is_id(qid) or not isinstance(text, str):
            raise InputError(f"{where}: a query must have 'id' and 'text'")
        if not isinstance(steps or [], list) or not all(isinstance(s, str) for s in steps or []):
            raise InputError(f"{where}: 'steps' must be a list of texts")
        qid = f"{prefix}{qid}"
        if qid in queries:
            raise InputError(f"{where}: query id {qid!r} is there twice: ids are unique")
        queries[qid] = Query(qid, text, tuple(steps or ()), source)
    return list(queries.values())


def read_qrels(path: Path, prefix: str = "") -> list[Judgment]:
    """Judgments from lines `qid TAB 0 TAB card id TAB grade`, in the file's order."""
    judgments: dict[tuple[str, str], Judgment] = {}
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        columns = line.rstrip("\r").split("\t")
        if len(columns) != QREL_COLUMNS:
            raise InputError(f"{where}: expected 4 columns set apart by tabs: qid, 0, id, grade")
        qid, _, card_id, grade = columns
        judgment = Judgment(f"{prefix}{qid}", f"{prefix}{card_id}", _grade(grade, where))
        if judgment[:2] in judgments:
            raise InputError(f"{where}: {qid!r} and {card_id!r} are judged twice: keep one")
        judgments[judgment[:2]] = judgment
    return list(judgments.values())


def _grade(text: str, where: str) -> int:
    try:
        grade = int(text)
    except ValueError:
        raise InputError(f"{where}: the grade must be an integer, not {shown(text)}") from None
    return checked_grade(grade, where)


def checked_grade(grade: int, where: str) -> int:
    """`grade`, which must fit the 32 bits that qrels have for it."""
    if not -(2**31) <= grade < 2**31:
        raise InputError(f"{where}: the grade {shown(grade)} does not fit 32 bits")
    return grade
