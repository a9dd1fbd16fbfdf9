"""`agent-discovery` as a user runs it: in this process where that is enough, else in its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pytest import CaptureFixture

from agent_discovery.cli import main

COMMAND = [sys.executable, "-m", "agent_discovery.cli"]


class Ended(NamedTuple):
    """A command that has ended."""

    code: int
    out: str
    err: str


def runner(capsys: CaptureFixture, temporary: Path) -> Callable[..., Ended]:
    """Runs the command line in this process; whatever it answers, `temporary` is left empty."""

    def run(*arguments: str | Path) -> Ended:
        capsys.readouterr()
        code = 0
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as ended:
            code = ended.code or 0
        assert list(temporary.iterdir()) == []
        return Ended(code, *capsys.readouterr())

    return run


def process(*arguments: str | Path, stdout=subprocess.PIPE, **environment: str) -> Ended:
    """Run it in a process of its own; there is no terminal."""
    ended = subprocess.run(
        [*COMMAND, *arguments],
        env={**os.environ, "PYTHONWARNINGS": "error::ResourceWarning", **environment},
        stdout=stdout,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        timeout=120,
    )
    assert "Traceback" not in ended.stderr
    return Ended(ended.returncode, ended.stdout or "", ended.stderr)


def assert_refused(ended: Ended, why: str) -> None:
    """One clean line on standard error that says `why`, nothing else, and exit code 2."""
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("agent-discovery: error: ") and why in ended.err
    assert ended.err.endswith("\n") and ended.err.removesuffix("\n").isprintable()
