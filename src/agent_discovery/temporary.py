"""Temporary folders. What a killed run could not remove, the next one does."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from agent_discovery.errors import InputError
from agent_discovery.files import lock, remove

PREFIX = "agent-discovery-"
NAMES = PREFIX + "?" * 8  # as mkdtemp makes them
OTHERS = 0o077  # permissions of all but the owner, which it gives none
MARK = ".temporary"  # in each; a folder of the user's own that is called alike has none


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for the block alone, locked while it is in use and removed at its end."""
    _remove_abandoned()
    folder, handle = _made()
    try:
        yield folder
    finally:
        _remove(folder)
        os.close(handle)


def _made() -> tuple[Path, int]:
    """A new folder, locked and marked, and its handle.

    Another run that looks between those steps takes it for abandoned: then a new one is made.
    """
    while True:
        folder = Path(mkdtemp(prefix=PREFIX))
        try:
            handle = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            continue
        try:
            lock(handle, f"{folder}: another run holds it")
            (folder / MARK).touch()
        except (InputError, FileNotFoundError):
            os.close(handle)
        else:
            return folder, handle


def _remove(folder: Path) -> None:
    """Remove a folder, its mark last: what a kill leaves is marked, or empty."""
    if folder.is_dir():
        for child in folder.iterdir():
            if child.name != MARK:
                remove(child)
    remove(folder)


def _remove_abandoned() -> None:
    """Remove the temporary folders of this user's runs that have ended without removing them."""
    for folder in Path(gettempdir()).glob(NAMES):
        with suppress(InputError, OSError):  # it is in use, just removed, or another user's
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                lock(handle, f"{folder}: another run holds it")
                about = os.fstat(handle)
                if about.st_uid == os.getuid() and not about.st_mode & OTHERS:
                    _remove_unused(folder)
            finally:
                os.close(handle)


def _remove_unused(folder: Path) -> None:
    if (folder / MARK).is_file():
        _remove(folder)
    else:
        folder.rmdir()  # only if it is empty: killed before it was marked
