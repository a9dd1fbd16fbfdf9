"""The command line, `agent-discovery`: a module for each command, each with `add` and `run`."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TextIO

from agent_discovery.cli.options import EXIT_INTERRUPTED, EXITS
from agent_discovery.errors import give_up, one_line_errors

COMMANDS = ("search", "explain", "index", "verify", "estimate_cost", "serve_offline_arbiter")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, and end with one of the exit codes of `options.EXITS`."""
    sys.stdin, sys.stdout, sys.stderr = map(_stream, (sys.stdin, sys.stdout, sys.stderr))
    code = 0
    try:
        with one_line_errors():
            code = _run(arguments)
    except BrokenPipeError:  # the reader (head, less) has seen enough
        pass
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    if code:
        sys.exit(code)


def _stream(given: TextIO | None) -> TextIO:
    """A standard stream; where it is closed one to nowhere, or a file would get its number."""
    return given or open(os.open(os.devnull, os.O_RDWR), "r+", encoding="utf-8", closefd=False)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        options = _parser().parse_args(arguments)
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may not know every character
        return options.run(options) or 0
    finally:
        _flush()


def _flush() -> None:
    """Write what was said; what cannot be is not tried again as the interpreter ends."""
    try:
        sys.stderr.flush()
    except OSError:
        give_up(sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:
        give_up(sys.stdout)
        raise


def _parser() -> argparse.ArgumentParser:
    from agent_discovery import __version__

    parser = argparse.ArgumentParser(
        prog="agent-discovery",
        description="Which few agents and tools should an LLM see?",
        epilog=f"agent-discovery COMMAND --help shows an example.\n\n{EXITS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:  # imported here, where an interrupt is heard
        import_module(f"{__name__}.{command}").add(commands)
    return parser
