"""Tells how many inputs were tried, from every worker, once the fuzz tests have run."""

import json

import pytest
from budget import tried

SUMS: dict[str, int] = {}


@pytest.hookimpl
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker hands its counts over; a run without workers keeps them."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["tried"] = json.dumps(tried)
    else:
        _add(tried)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error) -> None:
    """Take a worker's counts."""
    _add(json.loads(getattr(node, "workeroutput", {}).get("tried", "{}")))


def _add(counts: dict[str, int]) -> None:
    for name, count in counts.items():
        SUMS[name] = SUMS.get(name, 0) + count


def pytest_terminal_summary(terminalreporter) -> None:
    """One line for each reader, and one for all."""
    if SUMS:
        for name, count in sorted(SUMS.items()):
            terminalreporter.write_line(f"{count:>9,} inputs to {name}")
        terminalreporter.write_line(f"{sum(SUMS.values()):>9,} inputs in all")
