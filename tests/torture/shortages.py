"""Running a command while the machine refuses it something: room, handles, or the right to write.

Every limit holds for the one process tree only, so nothing here can harm the machine or another
test.
"""

import ctypes
import os
import resource
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from command import Ended
from killing import TEMPORARY

PR_CAPBSET_DROP = 24
OVERRIDES = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH: by which root writes everywhere

Limit = Callable[[], None]


def room_for(size: int) -> Limit:
    """No file may grow beyond so many bytes: more is refused, as where a disk is full."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def handles(number: int) -> Limit:
    """No more than so many files may be open."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))


def permissions_count() -> None:
    """Root, too, may write only where the mode of a folder says so."""
    for capability in OVERRIDES:  # refused to anyone but root, who alone needs it
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def run(command: Sequence[str | Path], folder: Path, limit: Limit | None = None) -> Ended:
    """Run a command in `folder` to its end, with a folder of its own for temporary files."""
    temporary = folder / TEMPORARY
    temporary.mkdir(exist_ok=True)
    ended = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(temporary)},
        preexec_fn=limit,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=600,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)
