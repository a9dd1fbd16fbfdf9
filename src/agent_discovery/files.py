"""Writing results so that a half-written file is never taken for a whole one."""

import errno
import fcntl
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from agent_discovery.errors import InputError

CHUNK_BYTES = 1 << 20
DECIMALS = 6
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
DOLLARS = re.compile("_usd(_low|_high)?$")
# Columns whose numbers have a format of their own.
FORMATS = {DOLLARS: ".9f", re.compile("^p_"): ".6g"}


@contextmanager
def written_aside(path: str | Path, resumed: bool = False) -> Iterator[Path]:
    """Yield a path beside `path` to write to; move it there if the block ends well, else remove it.

    Works for files; a directory may be written the same way if `path` does not exist yet. The name
    beside is always the same, so what a killed run leaves is taken over by the next: removed, or if
    `resumed` (a directory) left for it to go on with. Then only an input error removes it, and
    InputError is raised where another run is writing it, or something else is in its place, and
    where `path` ends in no name.
    """
    if Path(path).name in ("", ".."):
        raise InputError(f"'{path}' cannot be made: give a name that is not there yet")
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.part")
    with _locked(aside) if resumed else nullcontext():
        yield from _moved(path, aside, resumed)


def _moved(path: Path, aside: Path, resumed: bool) -> Iterator[Path]:
    if not resumed:
        remove(aside)
    try:
        yield aside
        os.replace(aside, path)
    except InputError:
        remove(aside)
        raise
    except OSError as error:
        if error.filename is None:  # a disk that is full does not say what for
            error.filename = str(path)
        raise
    finally:
        if not resumed:
            remove(aside)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a folder, made if it is not there, for this run alone; a kill lets go of it."""
    with suppress(FileExistsError):
        folder.mkdir()
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno not in (errno.ENOTDIR, errno.ELOOP):
            raise
        raise InputError(f"{folder}: a file or a link is in the way: remove it") from None
    try:
        lock(handle, f"{folder}: another run is writing it")
        if not folder.exists():  # that run has just ended
            raise InputError(f"{folder}: another run has made it: run the same command again")
        yield
    finally:
        os.close(handle)


def lock(handle: int, held: str) -> None:
    """Lock an open file or folder, or raise InputError with what `held` says, at once."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(f"{held}: wait until it ends, or stop it") from None


def remove(path: Path) -> None:
    """Remove a file, a link or a folder with all that is in it, if it is there."""
    if path.is_dir() and not path.is_symlink():
        empty(path)
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


def empty(folder: Path) -> None:
    """Remove what is in a folder, but not what links in it point at."""
    for child in folder.iterdir():
        remove(child)


def write_text(path: str | Path, text: str) -> None:
    """Write UTF-8 text with LF line ends."""
    with written_aside(path) as aside:
        aside.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: str | Path, value: Any) -> None:
    """Write indented JSON with sorted keys."""
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    write_text(path, text + "\n")


def write_csv(path: str | Path, table: pd.DataFrame) -> None:
    """Write a result table; missing values are empty.

    Floats have six decimals; US dollars nine; p-values six significant digits.
    """
    own = {
        name: table[name].map(partial(_formatted, form=form))
        for pattern, form in FORMATS.items()
        for name in filter(pattern.search, table)
    }
    table = table.assign(**own)
    write_text(path, table.to_csv(index=False, float_format=_decimal, lineterminator="\n"))


def no_formula(text: str) -> str:
    """Foreign text for a cell of a CSV: a spreadsheet would run what begins as a formula does."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _formatted(value: float, form: str) -> str | None:
    return None if value != value else format(value, form)


def _decimal(value: float) -> str:
    """Six decimals; what rounds to zero has no sign, which the last bits of a sum would decide."""
    text = f"{value:.{DECIMALS}f}"
    return text if float(text) else text.removeprefix("-")


def rows_table(rows: Iterable[tuple], schema: pa.Schema) -> pa.Table:
    """Rows, none or many, as a table of a fixed schema."""
    columns = list(zip(*rows, strict=True)) or [[] for _ in schema]
    arrays = [pa.array(c, t) for c, t in zip(columns, schema.types, strict=True)]
    return pa.table(arrays, schema)


def write_table(path: str | Path, table: pa.Table, page_checksums: bool = False) -> None:
    """Write a Parquet file; the same table always gives the same bytes.

    page_checksums: so that a reader that asks for it finds damage.
    """
    with written_aside(path) as aside:
        pq.write_table(table, aside, compression="zstd", write_page_checksum=page_checksums)


def sha256_of(path: str | Path) -> str:
    """Hexadecimal SHA-256 of a file, read in chunks."""
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while chunk := stream.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
