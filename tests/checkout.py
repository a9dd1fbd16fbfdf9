"""Running the workflow in a folder of its own, as a user would."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PARTS = ("workflow", "config", "expected", "notebooks", "recordings")
MEASURED = "measured"


def lay_out(folder: Path) -> Path:
    """A copy of all that a run reads, without results (the package is the installed one)."""
    for part in PARTS:
        shutil.copytree(ROOT / part, folder / part)
    return folder


def snakemake(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """Run Snakemake in `folder` to its end; returns code and output (both streams together)."""
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def command(*arguments: str) -> list[str]:
    """The command line of a Snakemake run with this Python."""
    return [sys.executable, "-m", "snakemake", *arguments]


def deterministic_files(results: Path) -> dict[str, bytes]:
    """Every result file that must be the same on every run, by name (the report shows times)."""
    return {
        path.relative_to(results).as_posix(): path.read_bytes()
        for path in sorted(results.rglob("*"))
        if path.is_file() and MEASURED not in path.relative_to(results).parts
        if path.name not in (".snakemake_timestamp", "report.html")
    }


def error_lines(output: str) -> list[str]:
    """The product's own error lines in some output."""
    return re.findall(r"^agent-discovery: error: .*$", output, flags=re.MULTILINE)
