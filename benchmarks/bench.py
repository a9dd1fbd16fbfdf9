"""Measure SSR and its peers on generated collections; write benchmarks/results/summary.json.

python -m benchmarks.bench --sizes 100000 [--work build/bench] [--steps latency,sqlite]
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from agent_discovery import __version__
from agent_discovery.errors import InputError, one_line_errors
from agent_discovery.files import write_json
from benchmarks.bench_steps import STEPS
from benchmarks.steps_peers import SLOW_QUERIES
from benchmarks.steps_ssr import QUERIES, K

RESULTS = Path(__file__).parent / "results" / "summary.json"
SEED = 2026
MOST_QUERIES = 6980
PEERS = ("tantivy", "bm25s")
# What would take hours, or more memory than a small machine has, on more passages than these.
UP_TO = {"sqlite": 1_000_000, "bm25": 1_000_000, "bm25s": 1_000_000, "reference": 1_000_000}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit code 0, or 2 for bad input (one line says what)."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", required=True, help="passages")
    parser.add_argument("--work", type=Path, default=Path("build/bench"), help="for what is made")
    parser.add_argument("--home", type=Path, help="an ir_datasets home to use for all sizes")
    parser.add_argument("--steps", default=",".join(STEPS), help="those to run; others stay")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the JSON to write to")
    options = parser.parse_args(arguments)
    with one_line_errors():
        steps = options.steps.split(",")
        if unknown := set(steps) - set(STEPS):
            raise InputError(f"--steps: no such step {min(unknown)!r}: {', '.join(STEPS)}")
        if min(options.sizes) < QUERIES:
            raise InputError(f"--sizes: at least {QUERIES}")
        for size in options.sizes:
            measure(size, options.work, options.home, steps, options.results)


def measure(size: int, work: Path, home: Path | None, steps: list[str], results: Path) -> None:
    """Run the steps of a size and add what they find to the results."""
    folder = work / str(size)
    home = home or _collection(size, folder)
    for step in (name for name in STEPS if name in steps):
        found = {"skipped": {step: why}} if (why := _skipped(step, size)) else {}
        if not why:
            print(f"{size:,} passages: {step}", file=sys.stderr, flush=True)
            found = in_process(step, folder, home)
        _add(results, size, step, found)


def _collection(size: int, folder: Path) -> Path:
    """The home of a generated collection, which is made if it is not there."""
    home = folder / "home"
    if not (home / "msmarco-passage" / "generated.json").exists():
        command = ["--passages", size, "--queries", min(size, MOST_QUERIES), "--seed", SEED]
        _python("benchmarks.generate_msmarco", *command, "--home", home)
    return home


def _skipped(step: str, size: int) -> str | None:
    """Why a step is left out, or None."""
    if step in PEERS and find_spec(step) is None:
        return f'{step} is not installed: pip install -c constraints.txt -e ".[bench]"'
    if size > UP_TO.get(step, size):
        return f"measured up to {UP_TO[step]:,} passages only"
    return None


def in_process(step: str, folder: Path, home: Path) -> dict:
    """A step's figures; home: the ir_datasets home of the collection."""
    return json.loads(_python("benchmarks.bench_steps", step, folder, home=home))


def _python(module: str, *arguments: object, home: Path | None = None) -> str:
    """Run a module in a process of its own, on one thread; returns what it printed last."""
    environment = {**os.environ, "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    if home:
        environment["IR_DATASETS_HOME"] = str(home)
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise InputError(f"{module} {arguments[0]} ended with code {done.returncode}: see above")
    return done.stdout.strip().splitlines()[-1]


def _add(results: Path, size: int, step: str, found: dict) -> None:
    """Put figures into the JSON file, beside what other runs left there."""
    summary = {"sizes": {}}
    if results.exists():
        summary = json.loads(results.read_text(encoding="utf-8"))
    about = summary["sizes"].setdefault(str(size), {"skipped": {}})
    about["skipped"].pop(step, None)
    about["skipped"] |= found.pop("skipped", {})
    about |= found
    summary |= {"k": K, "queries": QUERIES, "slow_queries": SLOW_QUERIES, "machine": machine()}
    write_json(results, summary)


def machine() -> dict:
    """The machine and the software that the figures are of."""
    cpu = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpu": cpu,
        "cpus": os.cpu_count(),
        "memory_gib": round(memory / 2**30, 1),
        "python": platform.python_version(),
        "agent_discovery": __version__,
    }


if __name__ == "__main__":
    main()
