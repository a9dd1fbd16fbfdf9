"""Writing to a terminal or a pipe: colour for the former only, and nothing that a card steers."""

import json
import os
import re
import sys
from collections.abc import Iterable
from typing import Any

from agent_discovery.errors import printable, tell

RESET = "\x1b[0m"
STYLES = {"strong": "\x1b[1m", "faint": "\x1b[2m", "good": "\x1b[32m", "id": "\x1b[36m"}
BAD_TERMINALS = ("", "dumb")
_WORD = re.compile("[A-Za-z0-9]+")


class Style:
    """Dresses text in colour, or leaves it plain; either way what is unprintable is escaped.

    colour: as for standard output if not said: on a terminal, unless NO_COLOR is set (to anything
    but nothing: no-color.org) or the terminal knows no colour.
    """

    def __init__(self, colour: bool | None = None):
        self.colour = _wants_colour() if colour is None else colour

    def __call__(self, style: str, text: str) -> str:
        """`text`, which may be anybody's, in a style of `STYLES`."""
        text = printable(text)
        return f"{STYLES[style]}{text}{RESET}" if self.colour else text

    def marked(self, text: str, words: Iterable[str]) -> str:
        """`text` with some words (in lower case) set off."""
        if not self.colour:
            return printable(text)
        marked = frozenset(words)
        return _WORD.sub(
            lambda word: self("strong", word[0]) if word[0].lower() in marked else word[0],
            printable(text),
        )


def _wants_colour() -> bool:
    return (
        sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "") not in BAD_TERMINALS
    )


def shortened(text: str, most: int) -> str:
    """`text` with its white space collapsed, of `most` characters at most."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def json_of(value: Any) -> str:
    """A named tuple, and those in it, as a JSON object on one line of ASCII."""
    return json.dumps(_plain(value))


def _plain(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        return {name: _plain(part) for name, part in value._asdict().items()}
    return [_plain(part) for part in value] if isinstance(value, tuple | list) else value


def note_first_use() -> None:
    """Tell a person who waits that the compiled parts are not there yet (about 15 seconds)."""
    from agent_discovery import retrieval

    (folder,) = retrieval.__path__
    compiled = os.path.join(folder, "__pycache__")
    known = os.path.isdir(compiled) and any(name.endswith(".nbi") for name in os.listdir(compiled))
    if sys.stderr.isatty() and not known and "NUMBA_CACHE_DIR" not in os.environ:
        tell("first use after an install: compiling, for some 15 seconds ...")
