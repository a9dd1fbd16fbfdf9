"""Adds up what the torture tests count, on every worker; `make torture` leaves it in build/."""

import json
from collections import Counter
from pathlib import Path

import pytest
from figures import COUNTED, KILLS, VIOLATIONS, figures

pytest.register_assert_rewrite("killing")

BUILD = Path(__file__).parents[2] / "build"
INPUTS = "inputs tried (fuzz)"
SUMS: Counter[str] = Counter()


@pytest.hookimpl
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker hands its counts over; a run without workers keeps them."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["figures"] = json.dumps(figures)
    else:
        SUMS.update(figures)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error) -> None:
    """Take a worker's counts, and those of tests/fuzz, which it hands over as `tried`."""
    output = getattr(node, "workeroutput", {})
    SUMS.update(json.loads(output.get("figures", "{}")))
    SUMS[INPUTS] += sum(json.loads(output.get("tried", "{}")).values())


def pytest_terminal_summary(terminalreporter) -> None:
    """The figures; of a whole run, with the tests that failed, as Markdown and JSON in build/."""
    if not SUMS:
        return
    found = {told: SUMS[name] for name, told in COUNTED.items()} | {INPUTS: SUMS[INPUTS]}
    for told, number in found.items():
        terminalreporter.write_line(f"{number:>9,} {told}")
    if KILLS is not None:
        stats = terminalreporter.stats
        failed = [one.nodeid for kind in ("failed", "error") for one in stats.get(kind, [])]
        _write(found, failed)


def _write(found: dict[str, int], failed: list[str]) -> None:
    BUILD.mkdir(exist_ok=True)
    rows = [f"| {told} | {number:,} |" for told, number in found.items()]
    table = ["| figure | number |", "| --- | ---: |", *rows, f"| tests failed | {len(failed)} |"]
    (BUILD / "torture.md").write_text("\n".join(table) + "\n", encoding="utf-8")
    violations = {name: SUMS[name] for name in VIOLATIONS}
    values = {"figures": found, "violations": violations, "failed": failed}
    (BUILD / "torture.json").write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
