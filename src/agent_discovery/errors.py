"""The one kind of error that a user can mend: bad input or bad configuration."""

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager

EXIT_INPUT_ERROR = 2
LONGEST_MESSAGE = 1000  # characters; an id or a path that a message quotes may be of any length
SHOWN_CHARACTERS = 80
ROOM = "make room, then run the same command again"
WRITABLE = "make it writable, then run the same command again"
HANDLES = "raise the limit of open files (ulimit -n), then run the same command again"
# What to do about the machine's own refusals.
REMEDIES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), ROOM),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), WRITABLE),
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
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits; nested too deep
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
    what = error.strerror or " ".join(map(str, error.args))
    parts = [error.filename, what, REMEDIES.get(error.errno)]
    return ": ".join(str(part) for part in parts if part)


def _end(error: InputError) -> None:
    print(f"agent-discovery: error: {error}", file=sys.stderr)
    sys.exit(EXIT_INPUT_ERROR)
