"""The one kind of error that a user can mend: bad input or bad configuration."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

EXIT_INPUT_ERROR = 2


class InputError(Exception):
    """Something the user gave is wrong. The message is one line: what, where, and what to do."""

    def __init__(self, message: str):
        super().__init__(printable(message))


def printable(text: str) -> str:
    """`text` on one line, with control and invisible characters escaped (it may quote a card)."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn an InputError into one line on standard error and exit code 2."""
    try:
        yield
    except InputError as error:
        print(f"agent-discovery: error: {error}", file=sys.stderr)
        sys.exit(EXIT_INPUT_ERROR)
