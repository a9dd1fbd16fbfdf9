"""The one kind of error that a user can mend: bad input or bad configuration."""

import errno
import os
import reprlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

EXIT_INPUT_ERROR = 2
LONGEST_MESSAGE = 1000  # characters; an id or a path that a message quotes may be of any length
SHOWN_CHARACTERS = 80
# As `repr`, but of containers no more than is shown: a few YAML aliases may stand for billions.
_BRIEF = reprlib.Repr()
_BRIEF.maxlevel = 3
_BRIEF.maxlist = _BRIEF.maxtuple = _BRIEF.maxdict = _BRIEF.maxset = SHOWN_CHARACTERS // 2
_BRIEF.maxstring = _BRIEF.maxother = _BRIEF.maxlong = sys.maxsize
ROOM = "make room, then run the same command again"
WRITABLE = "make it writable, then run the same command again"
ACCESS = "give yourself access to it (ls -l shows who has it), then run the same command again"
HANDLES = "raise the limit of open files (ulimit -n), then run the same command again"
# What to do about the machine's own refusals.
REMEDIES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), ROOM),
    **dict.fromkeys((errno.EACCES, errno.EPERM), ACCESS),
    errno.EROFS: WRITABLE,
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), HANDLES),
}


class InputError(Exception):
    """Something the user gave is wrong. The message is one line: what, where, and what to do."""

    def __init__(self, message: str):
        line = printable(message)
        if len(line) > LONGEST_MESSAGE:  # its end says what to do
            half = LONGEST_MESSAGE // 2
            line = f"{line[:half]} … {line[-half:]}"
        super().__init__(line)


def printable(text: str) -> str:
    """`text` on one line, with control and invisible characters escaped (it may quote a card)."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shown(value: object) -> str:
    """A value of any size as a message quotes it."""
    try:
        text = _BRIEF.repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits
        return f"a {type(value).__name__} too large to show"
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn an InputError into one line on standard error and exit code 2.

    What the machine refuses (a full disk, a folder that cannot be written) is one line, too, and so
    is a package that an extra installs.
    """
    try:
        yield
    except InputError as error:
        _end(error)
    except BrokenPipeError:  # the reader has seen enough
        raise
    except OSError as error:
        _end(InputError(refusal_of(error)))
    except ModuleNotFoundError as error:
        _end(InputError(f"{error}: install what the README says, or its extra in pyproject.toml"))


def refusal_of(error: OSError) -> str:
    """What an error of the operating system says: where, what, and what to do if it is known."""
    if error.errno == errno.ENOENT and not _has_working_folder():  # libraries ask for it
        return "the working directory is gone: change into one that is there"
    what = error.strerror or " ".join(map(str, error.args))
    parts = [error.filename, what, REMEDIES.get(error.errno)]
    return ": ".join(str(part) for part in parts if part)


def _has_working_folder() -> bool:
    try:
        return bool(os.getcwd())
    except FileNotFoundError:
        return False


def tell(line: str) -> None:
    """Say a line on standard error; where it is closed or full, the exit code alone says it."""
    if sys.stderr is not None:
        try:
            print(line, file=sys.stderr, flush=True)
        except OSError:
            give_up(sys.stderr)


def give_up(stream: TextIO) -> None:
    """Send a stream that takes nothing nowhere, or its rest is tried as the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _end(error: InputError) -> None:
    tell(f"agent-discovery: error: {error}")
    sys.exit(EXIT_INPUT_ERROR)
