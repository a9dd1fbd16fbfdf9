"""Killed at random moments and started again, a run loses nothing, pays nothing twice, and gives
the same bytes. (The client alone, killed ten times: test_arbitrate.py; a build between any two
writes: test_index_resume.py.)
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

from arbiter_world import arbiter
from checkout import command, lay_out
from figures import KILLS, PASSAGES
from killing import Target, survive
from pytest import fixture, mark, skip

from agent_discovery.arbitration.offline_arbiter import OfflineArbiter
from benchmarks.generate_msmarco import HOME
from benchmarks.msmarco_form.collection import Request, generate

pytestmark = mark.workflow

WORKERS, ANSWER_S = 2, 0.1
RQ1 = (
    "rq1={plain_queries: 6, paraphrased_queries: 2, sizes: [10, 100]}"
    if KILLS is None
    else "rq1={plain_queries: 12, paraphrased_queries: 4}",
)
RQ3 = (
    "corpus=livemcpbench",
    "rq3={sizes: [20, 100], sample_size: 12, validation_size: 30, full_catalog_up_to: 100, "
    "depths: [5, 20]}",
)
INDEX = ("index", "irds:msmarco-passage/dev/small", "results/index")


def kills(in_make_test: int) -> int:
    """How often to kill: as often as asked for, or as seldom as `make test` has time for."""
    wanted = in_make_test if KILLS is None else KILLS
    if not wanted:
        skip("killed by make torture")
    return wanted


class SlowArbiter(OfflineArbiter):
    """Takes its time, so that kills meet calls that are under way."""

    def fault_for(self, call: str, header: str | None) -> str:
        time.sleep(ANSWER_S)
        return super().fault_for(call, header)


@fixture
def slow(log) -> Iterator[OfflineArbiter]:
    """An arbiter that no kill reaches, so that it can count what it is asked."""
    with arbiter(log, kind=SlowArbiter) as running:
        yield running


def asking(server: OfflineArbiter, log: Path, target: str, *config: str) -> Target:
    """A target of the workflow that asks an arbiter."""
    llm = f"arbiter: live, base_url: '{server.base_url}', api_key_variable: null"
    llm = f"llm={{{llm}, workers: {WORKERS}}}"
    return Target(command(target, "--config", *config, llm), lay_out, log, WORKERS)


@mark.parametrize(("name", "config", "few"), [("rq1", RQ1, 2), ("rq3", RQ3, 0)])
def test_runs_that_ask_an_llm(tmp_path, slow, log, name, config, few):
    most = kills(few)
    survive(asking(slow, log, name, *config), tmp_path, most, seed=2026)


@mark.parametrize(("name", "few"), [("rq2", 3), ("graph", 2)])
def test_runs_that_ask_none(tmp_path, name, few):
    run = command(name, "--config", "corpus=mcpproxy_golden")
    survive(Target(run, lay_out), tmp_path, kills(few), seed=2027)


def test_index_builds(tmp_path):
    most = kills(13)
    generate(tmp_path / "home", Request(passages=PASSAGES, queries=10, seed=2026))
    run = [sys.executable, "-m", "agent_discovery.cli", *INDEX]
    home = {HOME: str(tmp_path / "home")}
    target = Target(run, empty_folder, environment=home, made=INDEX[-1])
    survive(target, tmp_path, most, seed=2028)


def empty_folder(folder: Path) -> Path:
    """A folder for an index that is built outside of the workflow."""
    folder.mkdir()
    return folder
