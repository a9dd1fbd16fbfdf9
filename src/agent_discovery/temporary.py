"""Temporary folders. What a killed run could not remove, the next one does."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from agent_discovery.files import empty

PREFIX = "agent-discovery-"
MARK = ".temporary"  # in each; a folder of the user's own that is called alike has none


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for the block alone, locked while it is in use and removed at its end."""
    _remove_abandoned()
    made = Path(mkdtemp(prefix=f".{PREFIX}"))
    handle = os.open(made, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        (made / MARK).touch()
        folder = made.rename(made.with_name(made.name[1:]))  # locked before others look for it
        yield folder
    finally:
        for name in (made, made.with_name(made.name[1:])):
            if name.exists():
                _remove(name)
        os.close(handle)


def _remove_abandoned() -> None:
    """Remove the temporary folders of this user's runs that have ended without removing them."""
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # it is in use, just removed, or another user's
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if (folder / MARK).is_file() and os.fstat(handle).st_uid == os.getuid():
                    _remove(folder)
            finally:
                os.close(handle)


def _remove(folder: Path) -> None:
    empty(folder)
    folder.rmdir()
