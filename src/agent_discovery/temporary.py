"""Temporary folders. What a killed run could not remove, the next one does."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from agent_discovery.errors import InputError
from agent_discovery.files import lock, remove

PREFIX = "agent-discovery-"
MARK = ".temporary"  # in each; a folder of the user's own that is called alike has none
MAKING_S = 60  # far longer than it takes to make one


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for the block alone, locked while it is in use and removed at its end."""
    _remove_abandoned()
    folder = Path(mkdtemp(prefix=f".{PREFIX}"))
    handle = os.open(folder, os.O_RDONLY)
    try:
        lock(handle, f"{folder}: another run holds it")
        (folder / MARK).touch()
        folder = folder.rename(folder.with_name(folder.name[1:]))  # locked before others look
        yield folder
    finally:
        remove(folder)
        os.close(handle)


def _remove_abandoned() -> None:
    """Remove the temporary folders of this user's runs that have ended without removing them."""
    temporary = Path(gettempdir())
    for folder in temporary.glob(f"{PREFIX}*"):
        _remove_if(folder, _has_ended)
    for folder in temporary.glob(f".{PREFIX}*"):
        _remove_if(folder, _never_began)


def _has_ended(folder: Path, status: os.stat_result) -> bool:
    """Whether a folder that no run holds is one of ours."""
    return (folder / MARK).is_file()


def _never_began(folder: Path, status: os.stat_result) -> bool:
    """Whether a run was killed while it made a folder: there is nothing in it, and has not been."""
    return status.st_mtime < time.time() - MAKING_S and {MARK}.issuperset(os.listdir(folder))


def _remove_if(folder: Path, abandoned: Callable[[Path, os.stat_result], bool]) -> None:
    with suppress(InputError, OSError):  # it is in use, just removed, or another user's
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            lock(handle, f"{folder}: another run holds it")
            status = os.fstat(handle)
            if status.st_uid == os.getuid() and abandoned(folder, status):
                remove(folder)
        finally:
            os.close(handle)
