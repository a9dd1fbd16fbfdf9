"""Timing a search on many queries: the CPU time of the thread, and wall time."""

import time
from collections.abc import Callable, Sequence

import numpy as np

NANOSECONDS_A_MILLISECOND = 1_000_000
Figures = dict[str, float]


def timed(call: Callable, arguments: Sequence) -> tuple[np.ndarray, np.ndarray]:
    """Milliseconds of CPU and of wall time of each call, (arguments,); an untimed pass first."""
    for argument in arguments:
        call(argument)
    cpu, wall = np.empty(len(arguments)), np.empty(len(arguments))
    for place, argument in enumerate(arguments):
        clock, start = time.perf_counter_ns(), time.thread_time_ns()
        call(argument)
        cpu[place] = time.thread_time_ns() - start
        wall[place] = time.perf_counter_ns() - clock
    return cpu / NANOSECONDS_A_MILLISECOND, wall / NANOSECONDS_A_MILLISECOND


def latencies(name: str, call: Callable, arguments: Sequence) -> Figures:
    """What is told of a search: mean and percentiles of its CPU time, and its mean wall time."""
    cpu, wall = timed(call, arguments)
    return {
        f"{name}_mean_ms": cpu.mean(),
        **{f"{name}_p{p}_ms": np.percentile(cpu, p) for p in (50, 95, 99)},
        f"{name}_mean_wall_ms": wall.mean(),
    }


def cpu_seconds(call: Callable) -> tuple[object, float]:
    """What a call returns and its seconds of CPU, those of all threads of the process."""
    start = time.process_time()
    return call(), time.process_time() - start
