"""Killed at random moments and started again, a run asks for no recorded answer again.

(The client alone, killed ten times: test_arbitrate.py.)
"""

import time
from collections.abc import Iterator
from pathlib import Path

from arbiter_world import arbiter
from checkout import command, lay_out
from figures import KILLS
from killing import Target, survive, wanted_kills
from pytest import fixture, mark

from agent_discovery.arbitration.offline_arbiter import OfflineArbiter

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
    most = wanted_kills(few)
    survive(asking(slow, log, name, *config), tmp_path, most, seed=2026)
