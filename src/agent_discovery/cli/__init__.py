"""The command line, `agent-discovery`: a module for each command, each with `add` and `run`."""

import argparse
import io
import os
import sys
from collections.abc import Sequence

from agent_discovery import __version__
from agent_discovery.cli import estimate_cost, explain, index, search, serve_offline_arbiter, verify
from agent_discovery.cli.options import EXIT_INTERRUPTED, EXITS
from agent_discovery.errors import one_line_errors

COMMANDS = (search, explain, index, verify, estimate_cost, serve_offline_arbiter)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, and end with one of the exit codes of `options.EXITS`."""
    sys.stdout = sys.stdout or io.TextIOWrapper(io.BytesIO())  # it may be closed
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
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="agent-discovery",
        description="Which few agents and tools should an LLM see?",
        epilog=f"agent-discovery COMMAND --help shows an example.\n\n{EXITS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    return parser
