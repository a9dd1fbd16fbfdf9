"""Temporary folders. What a killed run could not remove, the next one does."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from agent_discovery.errors import InputError
from agent_discovery.files import lock, remove

PREFIX = "agent-discovery-"
MARK = ".temporary"  # in each; a folder of the user's own that is called alike has none


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
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        with suppress(InputError, OSError):  # it is in use, just removed, or another user's
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                lock(handle, f"{folder}: another run holds it")
                if (folder / MARK).is_file() and os.fstat(handle).st_uid == os.getuid():
                    remove(folder)
            finally:
                os.close(handle)
