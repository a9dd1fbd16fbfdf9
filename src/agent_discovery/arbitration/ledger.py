"""The ledger: every call to an arbiter, recorded durably and replayed from there.

JSON lines, each under `call`, the hash of exactly what determines the answer. Of a line's `kind`:

- `answer`: replayed.
- `refusal`: the model cannot take this prompt (it outgrew the context); replayed as that failure.
- `unusable` (empty or cut off), `failure` (errors): kept for audit, never replayed.
- `asked`: an attempt is about to be sent; written under a spending cap only, so that a kill cannot
  hide what it may have cost.
"""

import json
import os
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from agent_discovery.arbitration.ledger_record import (
    ASKED,
    BILLED_USD,
    GREATEST_USD,
    REPLAYED,
    SETTLED,
    Record,
    is_whole,
)
from agent_discovery.errors import InputError, shown
from agent_discovery.files import lock
from agent_discovery.reading import check_regular
from agent_discovery.shipped import check_shipped


class Ledger:
    """The records of a ledger file by call; `append` needs a ledger that `writing` opened."""

    def __init__(self, path: str | Path, records: list[Record] | None = None):
        self.path = Path(path)
        self._replayed: dict[str, Record] = {}
        self._pending_usd: defaultdict[str, list[float]] = defaultdict(list)
        self._spent_usd = 0.0
        self._stream: int | None = None
        self._lock = threading.Lock()
        for record in records or []:
            self._take(record)

    @classmethod
    def read(cls, path: str | Path) -> "Ledger":
        """Read a ledger to replay from; a file that is not there is an empty ledger."""
        path = Path(path)
        try:
            check_regular(path)
            content = path.read_bytes()
        except FileNotFoundError:
            content = b""
        except OSError as error:
            raise _unusable(path, error) from None
        return cls(path, _records(path, content)[0])

    @classmethod
    @contextmanager
    def writing(cls, path: str | Path) -> Iterator["Ledger"]:
        """Open a ledger for one run: locked, and a last line that a kill tore is cut off.

        Raises InputError when another run holds it, or when a line is not a record.
        """
        path = Path(path)
        try:
            with suppress(FileNotFoundError):
                check_regular(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            stream = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise _unusable(path, error) from None
        try:
            lock(stream, f"{path}: another run is writing this ledger")
            records, whole_bytes = _records(path, path.read_bytes())
            os.ftruncate(stream, whole_bytes)
            _sync_folder(path.parent)
            ledger = cls(path, records)
            ledger._stream = stream
            yield ledger
        finally:
            os.close(stream)

    def replayed(self, call: str) -> Record | None:
        """The recorded answer (or refusal) of a call; None when it has to be asked."""
        return self._replayed.get(call)

    def models(self) -> set[str]:
        """The models, as they were asked for, that there are answers of."""
        return {record["model"] for record in self._replayed.values()}

    @property
    def spent_usd(self) -> float:
        """What the recorded calls cost, with the greatest cost of those that a kill cut short."""
        return self._spent_usd + sum(map(sum, self._pending_usd.values()))

    def append(self, record: Record) -> None:
        """Record a call; an answer is on the disk when this returns.

        Raises ValueError for what no reader of the ledger would take.
        """
        if not is_whole(record):
            raise ValueError(f"not a record of the ledger: {shown(record)}")
        line = json.dumps(record, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
        content = line.encode("utf-8", "backslashreplace")
        assert self._stream is not None, "the ledger was opened for reading"
        with self._lock:
            _append(self._stream, self.path, content, durably=record["kind"] != ASKED)
            self._take(record)

    def _take(self, record: Record) -> None:
        call, kind = record["call"], record["kind"]
        if kind == ASKED:
            self._pending_usd[call].append(record[GREATEST_USD])
            return
        pending = self._pending_usd[call]
        settled = min(record.get(SETTLED, len(pending)), len(pending))
        del pending[len(pending) - settled :]  # what a run before this one asked stays
        self._spent_usd += record.get(BILLED_USD, 0.0)
        if kind in REPLAYED:
            self._replayed.setdefault(call, record)


def _records(path: Path, content: bytes) -> tuple[list[Record], int]:
    """The records, and the bytes that they take: what follows is a last line torn by a kill."""
    check_shipped(path, content)
    records = []
    whole_bytes = 0
    lines = content.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if number == len(lines):
            break  # nothing, or what was written of a line that has no end
        record = _value(line)
        if record is None and number == len(lines) - 1 and not lines[-1]:
            break  # a last line whose blocks did not all reach the disk
        if not is_whole(record):
            raise InputError(
                f"{path}:{number}: not a record of the ledger: restore the file, or take the "
                "line out (its call is then asked again)"
            )
        records.append(record)
        whole_bytes += len(line) + 1
    return records, whole_bytes


def _value(line: bytes) -> Any:
    """The JSON value of a line; None where it is none."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _unusable(path: Path, error: OSError) -> InputError:
    return InputError(f"{path}: {error.strerror}: a ledger must be a file that can be written")


def _append(stream: int, path: Path, content: bytes, durably: bool) -> None:
    """Append all of a line or, where the disk refuses it, nothing."""
    size = os.fstat(stream).st_size
    try:
        while content:
            content = content[os.write(stream, content) :]
        if durably:
            os.fsync(stream)
    except OSError as error:
        os.ftruncate(stream, size)
        raise InputError(
            f"{path}: cannot write: {error.strerror}: make room, then run again"
        ) from None


def _sync_folder(folder: Path) -> None:
    """Make the file's entry in its folder durable, too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
