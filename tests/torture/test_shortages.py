"""When the machine refuses something a run says so in one line and harms nothing, and the same
command again gives what it would have given.

The command line alone in `make test`; the workflow, too, in `make torture`.
"""

import random
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from arbiter_world import lines
from checkout import command, error_lines, lay_out
from command import COMMAND, Ended
from figures import KILLS, count
from killing import compare, no_traceback, recorded
from pytest import TempPathFactory, fixture, mark, param
from shortages import Limit, handles, permissions_count, room_for, run

CORPUS = "mcpproxy_golden"
TARGETS = {
    "index": [*COMMAND, "index", CORPUS, "results/index"],
    "rq2": command("rq2", "--config", f"corpus={CORPUS}"),
}
in_torture = mark.skipif(KILLS is None, reason="run by make torture")
each_target = mark.parametrize("target", ["index", param("rq2", marks=in_torture)])
CLIENT = [sys.executable, str(Path(__file__).parents[1] / "kill_runner.py")]
CALLS, WORKERS, AT_ONCE = 60, 2, 4
TIMES = 4 if KILLS is None else 12
# What the least and the most of a resource is with which a run begins but may not end.
ROOM = {"index": (1, 40_000), "rq2": (1 << 14, 40_000)}
HANDLES = {"index": (5, 20)}  # Snakemake itself has a traceback with fewer than its jobs need


@fixture(scope="module")
def undisturbed(tmp_path_factory: TempPathFactory) -> Callable[[str], Path]:
    """The folder in which a target has run with nothing refused; it is run when first asked for."""
    made: dict[str, Path] = {}

    def of(target: str) -> Path:
        if target not in made:
            made[target] = lay_out(tmp_path_factory.mktemp("undisturbed") / target)
            assert run(TARGETS[target], made[target]).code == 0
        return made[target]

    return of


@fixture
def short_of(undisturbed, tmp_path) -> Callable[..., Ended]:
    """Runs a target while something is refused, and then without that; compares what comes out."""

    def check(target: str, limit: Limit, mode: int = 0o755) -> Ended:
        folder = lay_out(tmp_path / str(len(list(tmp_path.iterdir()))))
        results = folder / "results"
        results.mkdir(mode)
        ended = run(TARGETS[target], folder, limit)
        count(shortages=1)
        assert no_traceback(ended.err)
        if results.exists():  # Snakemake removes an empty folder
            results.chmod(0o755)
        if not (results / "index").is_dir():  # `agent-discovery index` may fail once it is made
            assert run(TARGETS[target], folder).code == 0
        compare(folder, undisturbed(target))
        return ended

    return check


def drawn(target: str, bounds: dict[str, tuple[int, int]]) -> list[int]:
    """Amounts of a resource between its bounds, more of the small ones; the bounds among them."""
    low, high = bounds[target]
    rng = random.Random(f"{target}{low}")
    return [low, *(round(low * (high / low) ** rng.random()) for _ in range(TIMES - 1))]


def assert_told(ended: Ended, *whys: str) -> None:
    """A run ended for what it was refused, and every error line says so."""
    told = error_lines(ended.err)
    assert ended.code != 0 and told
    assert all(any(why in line for why in whys) for line in told), told


@each_target
def test_a_full_disk(short_of, target):
    for room in drawn(target, ROOM):
        assert_told(short_of(target, room_for(room)), "make room", "a full disk")


def test_no_more_file_handles(short_of):
    for number in drawn("index", HANDLES):
        assert_told(short_of("index", handles(number)), "Too many open files: raise the limit")


@each_target
def test_a_results_folder_that_is_read_only(short_of, target):
    ended = short_of(target, permissions_count, mode=0o555)
    assert ended.code != 0 and "results/" in ended.err and "Permission denied" in ended.err


@mark.parametrize(
    ("target", "refusals"),
    [
        ("index", ("another run is writing it", "another run has made it", "is there already")),
        param("rq2", ("Directory cannot be locked",), marks=in_torture),
    ],
)
def test_runs_at_once_in_one_folder(undisturbed, tmp_path, target, refusals):
    folder = lay_out(tmp_path / "run")
    with ThreadPoolExecutor(AT_ONCE) as threads:
        all_ended = list(threads.map(lambda _: run(TARGETS[target], folder), range(AT_ONCE)))
    count(shortages=1)
    first, *others = sorted(all_ended)
    assert first.code == 0
    for ended in others:
        assert ended.code != 0 and any(refusal in ended.err for refusal in refusals)
        assert no_traceback(ended.err)
    compare(folder, undisturbed(target))


def test_a_ledger_that_the_disk_has_no_more_room_for(server, log, tmp_path):
    """What is recorded is not asked again; of what is not, each worker may have had one call."""
    ledger, starts = tmp_path / "results" / "ledger.jsonl", 0
    argv = [*CLIENT, server.base_url, ledger, str(CALLS), str(WORKERS)]
    while len(before := recorded(tmp_path)) < CALLS:
        asked, room = len(lines(log)) if log.exists() else 0, 2_000 + 6_000 * starts
        ended = run(argv, tmp_path, room_for(room))
        count(shortages=1)
        starts += 1
        if ended.code:
            assert_told(ended, "make room")
        again = before & {request["call"] for request in lines(log)[asked:]}
        count(doubled=len(again))
        assert not again and no_traceback(ended.err)
    repeated = len(lines(log)) - CALLS
    count(repeated=repeated)
    assert starts > 3 and repeated <= starts * WORKERS
