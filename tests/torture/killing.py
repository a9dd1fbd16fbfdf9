"""Runs that are killed at random moments and gone on with, beside one that is not.

A target is laid out in folders of its own. `survive` kills it as often as it is told to: a start is
killed after a random share of the time that the undisturbed run took, and started again by the
README's recipe, until it ends by itself; then all that it wrote is compared, and the next round
begins in another folder.
"""

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arbiter_world import lines
from checkout import deterministic_files, snakemake
from figures import KILLS, count
from pytest import skip

from agent_discovery.arbitration.ledger_record import REPLAYED

EARLIEST = 0.05  # of an undisturbed run's time
GONE_S = 20.0
OUTPUT, TEMPORARY = "output.txt", "temporary"


@dataclass
class Target:
    """What is run: its command line, how its folder is laid out, and the log of its arbiter.

    workers: calls under way at once. `log` is None for a target that asks no arbiter. made: what is
    there once all is done, for a target that refuses to do it again.
    """

    command: Sequence[str]
    lay_out: Callable[[Path], Path]
    log: Path | None = None
    workers: int = 1
    environment: dict[str, str] = field(default_factory=dict)
    made: str = ""

    def asked(self) -> list[str]:
        """The calls that reached the arbiter so far."""
        return [request["call"] for request in lines(self.log)] if self.log else []


def wanted_kills(in_make_test: int) -> int:
    """How often to kill: as often as asked for, or as seldom as `make test` has time for."""
    wanted = in_make_test if KILLS is None else KILLS
    if not wanted:
        skip("killed by make torture")
    return wanted


def survive(target: Target, folder: Path, kills: int, seed: int) -> None:
    """Kill a target so many times, and hold every round to what an undisturbed run gives."""
    undisturbed = target.lay_out(folder / "undisturbed")
    begun = time.monotonic()
    assert not started(target, undisturbed), "the undisturbed run was killed"
    duration = time.monotonic() - begun
    once = target.asked()
    assert len(once) == len(set(once)), "a call is asked twice even when undisturbed"
    rng, rounds = random.Random(seed), 0
    while kills:
        rounds += 1
        disturbed = target.lay_out(folder / f"round{rounds}")
        kills -= _round(target, disturbed, duration, rng, kills, len(once))
        compare(disturbed, undisturbed)


def _round(
    target: Target, folder: Path, duration: float, rng: random.Random, most: int, calls: int
) -> int:
    """Kill one run at most `most` times, and let it end; returns the kills."""
    begun, kills, again = len(target.asked()), 0, 0
    while True:
        answered, before = recorded(folder), len(target.asked())
        moment = rng.uniform(EARLIEST, 1) * duration if kills < most else None
        killed = started(target, folder, moment)
        again += len(answered & set(target.asked()[before:]))
        kills += killed
        if not killed or target.made and (folder / target.made).exists():
            break
        unlock(folder)
    told = (folder / OUTPUT).read_text(errors="replace")
    assert no_traceback(told)
    repeated = len(target.asked()) - begun - calls
    count(kills=kills, doubled=again, repeated=repeated)
    assert again == 0, f"{again} recorded answers were asked again"
    assert 0 <= repeated <= kills * target.workers, f"{repeated} calls repeated by {kills} kills"
    return kills


def started(target: Target, folder: Path, kill_after_s: float | None = None) -> bool:
    """Start a run; whether it was killed. One that ends by itself must end well."""
    output = folder / OUTPUT
    temporary = folder / TEMPORARY
    temporary.mkdir(exist_ok=True)
    with open(output, "ab") as stream:
        running = subprocess.Popen(
            target.command,
            cwd=folder,
            env={**os.environ, "TMPDIR": str(temporary), **target.environment},
            start_new_session=True,
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
    try:
        code = running.wait(kill_after_s)
    except subprocess.TimeoutExpired:
        kill_all(running)
        return True
    if code:
        count(crashes=1)
    assert code == 0, output.read_text(errors="replace")[-4000:]
    return False


def kill_all(running: subprocess.Popen) -> None:
    """Kill a run's whole process group at once, and wait until none of it is left."""
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    until = time.monotonic() + GONE_S
    while time.monotonic() < until and _alive(running.pid):
        time.sleep(0.01)


def _alive(group: int) -> bool:
    """Whether a process group has a process that is no zombie."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, of_group = stat.read_text().rpartition(")")[2].split()[:3]
        except (OSError, ValueError):
            continue
        if int(of_group) == group and state not in "ZX":
            return True
    return False


def unlock(folder: Path) -> None:
    """What the README says of a folder that a killed run has left locked."""
    locks = folder / ".snakemake" / "locks"
    if locks.is_dir() and any(locks.iterdir()):
        assert snakemake(folder, "--unlock").returncode == 0


def recorded(folder: Path) -> set[str]:
    """The calls that ledgers below a folder have an answer of; a last line may be torn."""
    ledgers = (folder / "results").rglob("ledger.jsonl")
    whole = (line for path in ledgers for line in path.read_bytes().split(b"\n")[:-1])
    records = map(json.loads, whole)
    return {record["call"] for record in records if record["kind"] in REPLAYED}


def compare(disturbed: Path, undisturbed: Path) -> None:
    """Every deterministic file has the same bytes, and nothing else was left behind."""
    ours, theirs = (deterministic_files(one / "results") for one in (disturbed, undisturbed))
    differing = sorted(name for name in ours | theirs if ours.get(name) != theirs.get(name))
    left = sorted(names(disturbed) - names(undisturbed))
    _count_snakemakes_own(disturbed)
    count(compared=len(theirs), differing=len(differing), left=len(left))
    assert theirs and differing == []
    assert left == []


def _count_snakemakes_own(folder: Path) -> None:
    """Each start of Snakemake makes a temporary folder, which it has no chance to remove when it is
    killed. As long as they are empty they are no more than counted.
    """
    own = list((folder / TEMPORARY).glob("snakemake*"))
    count(snakemakes=len(own))
    assert not any(path for one in own for path in one.rglob("*"))


def no_traceback(told: str) -> bool:
    """Whether what a run said has no traceback in it; one counts as a crash."""
    found = told.count("Traceback (most recent call last)")
    count(crashes=found)
    return not found


def names(folder: Path) -> set[str]:
    """All that is in a run's results and in its folder for temporary files, but Snakemake's."""
    parts = (folder / "results", folder / TEMPORARY)
    found = (path for part in parts for path in part.rglob("*"))
    return {
        path.relative_to(folder).as_posix()
        for path in found
        if path.parent.name != TEMPORARY or not path.name.startswith("snakemake")
    }
