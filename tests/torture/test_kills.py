"""Killed at random moments and started again, a run loses nothing and gives the same bytes.

(A build between any two writes: test_index_resume.py.)
"""

import sys
from pathlib import Path

from checkout import command, lay_out
from figures import PASSAGES
from killing import Target, survive, wanted_kills
from pytest import mark

from benchmarks.generate_msmarco import HOME
from benchmarks.msmarco_form.collection import Request, generate

pytestmark = mark.workflow

INDEX = ("index", "irds:msmarco-passage/dev/small", "results/index")


@mark.parametrize(("name", "few"), [("rq2", 3), ("graph", 2)])
def test_runs_that_ask_none(tmp_path, name, few):
    run = command(name, "--config", "corpus=mcpproxy_golden")
    survive(Target(run, lay_out), tmp_path, wanted_kills(few), seed=2027)


def test_index_builds(tmp_path):
    most = wanted_kills(13)
    generate(tmp_path / "home", Request(passages=PASSAGES, queries=10, seed=2026))
    run = [sys.executable, "-m", "agent_discovery.cli", *INDEX]
    home = {HOME: str(tmp_path / "home")}
    target = Target(run, empty_folder, environment=home, made=INDEX[-1])
    survive(target, tmp_path, most, seed=2028)


def empty_folder(folder: Path) -> Path:
    """A folder for an index that is built outside of the workflow."""
    folder.mkdir()
    return folder
