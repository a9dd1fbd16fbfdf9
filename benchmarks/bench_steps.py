"""Run one step of a benchmark, so that none sees the memory of another; prints a line of JSON.

python -m benchmarks.bench_steps STEP FOLDER
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks import steps_peers, steps_ssr

OF_SSR = ("corpus", "build", "latency", "wide", "scan", "reference")
OF_PEERS = ("sqlite", "bm25", "tantivy", "bm25s")
STEPS = {name: getattr(steps_ssr, name) for name in OF_SSR}
STEPS |= {name: getattr(steps_peers, name) for name in OF_PEERS}


def run(step: str, folder: Path) -> dict[str, float]:
    """A step's figures, to six digits, with its wall time and the machine's load before it."""
    wall, load = time.perf_counter(), os.getloadavg()[0]
    figures = STEPS[step](folder)
    figures |= {f"{step}_wall_s": time.perf_counter() - wall, f"{step}_load": load}
    return {name: _rounded(value) for name, value in figures.items()}


def _rounded(value: float) -> float:
    return float(f"{value:.6g}") if isinstance(value, float | np.floating) else int(value)


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1], Path(sys.argv[2]))))
