"""What every reader of files that others wrote, or a disk damaged, holds them to."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from agent_discovery.errors import InputError, shown

# What pyarrow raises on a damaged Parquet file, and reading the rows that it took for whole.
PARQUET_DAMAGE = (
    pa.ArrowException,
    OSError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    OverflowError,
)


def check_regular(path: str | Path) -> None:
    """Raise OSError unless there is a regular file (or a link to one), which never blocks a reader.

    A pipe waits for whoever writes into it, and some devices have no end.
    """
    try:
        mode = os.stat(path).st_mode
    except ValueError:  # a null character, which no path holds
        raise OSError(errno.EINVAL, "is no path of a file", str(path)) from None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "is no regular file", str(path))


@contextmanager
def whole_parquet(refusal: str) -> Iterator[None]:
    """Raise InputError with `refusal` where the block cannot read a Parquet file."""
    try:
        yield
    except PARQUET_DAMAGE:
        raise InputError(refusal) from None


def no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON (`object_pairs_hook`). Raises ValueError when a key is there twice.

    Readers differ in which of the two they take, and the other would be dropped.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in found if keys.count(key) > 1)
        raise ValueError(f"the key {shown(repeated)} is twice in one object: keep one")
    return found
