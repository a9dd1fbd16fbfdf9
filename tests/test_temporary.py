"""Temporary folders: gone at the end, and where a run is killed, by the next run."""

import os
import signal
import subprocess
import sys

from pytest import mark

from agent_discovery import temporary as module
from agent_discovery.errors import InputError
from agent_discovery.temporary import MARK, PREFIX, temporary_folder

HOLDING = """
import sys, time
from agent_discovery.temporary import temporary_folder
with temporary_folder() as folder:
    (folder / "deep").mkdir()
    (folder / "deep" / "file").write_text("x")
    print(folder, flush=True)
    time.sleep(60)
"""


def test_it_is_gone_at_the_end(temporary):
    with temporary_folder() as folder:
        (folder / "file").write_text("x")
        assert folder.parent == temporary and folder.name.startswith(PREFIX)
    assert list(temporary.iterdir()) == []


def test_what_a_killed_run_left_is_removed_and_what_is_in_use_is_not(temporary):
    command = [sys.executable, "-c", HOLDING]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    held = temporary / os.path.basename(running.stdout.readline().strip())
    with temporary_folder():
        assert (held / "deep" / "file").exists()
    running.send_signal(signal.SIGKILL)
    running.communicate()
    assert held.exists()
    with temporary_folder() as folder:
        assert list(temporary.iterdir()) == [folder]


def test_a_folder_of_the_users_own_and_a_link_are_left_alone(temporary):
    own, target = temporary / f"{PREFIX}myresult", temporary / "target"
    own.mkdir()
    target.mkdir()
    (target / MARK).touch()
    (temporary / f"{PREFIX}the_link").symlink_to(target)
    with temporary_folder():
        pass
    assert own.exists() and (target / MARK).exists()


KILLED = """
import os, sys
from pathlib import Path
from agent_discovery import temporary
def die(*_):
    os.kill(os.getpid(), 9)
exec(sys.argv[1] + " = die")
with temporary.temporary_folder() as folder:
    (folder / "file").write_text("x")
"""


@mark.parametrize("step", ["temporary.lock", "Path.touch", "temporary.remove"])
def test_a_kill_at_any_step_leaves_what_the_next_run_removes(temporary, step):
    environment = {**os.environ, "TMPDIR": str(temporary)}
    ended = subprocess.run([sys.executable, "-c", KILLED, step], env=environment)
    assert ended.returncode == -signal.SIGKILL and len(list(temporary.iterdir())) == 1
    with temporary_folder() as folder:
        assert list(temporary.iterdir()) == [folder]


def test_its_mark_goes_last(temporary, monkeypatch):
    """A kill while the rest is removed leaves it, so that the next run knows the folder."""
    seen = []

    def look_and_remove(path):
        seen.append((path.name, (folder / MARK).exists()))
        remove(path)

    remove = module.remove
    monkeypatch.setattr(module, "remove", look_and_remove)
    with temporary_folder() as folder:
        for name in ("a", "z", ".a", ".z"):
            (folder / name).touch()
    assert len(seen) == 5 and all(marked for _, marked in seen) and seen[-1][0] == folder.name


@mark.parametrize("step", ["mkdtemp", "lock"])
def test_a_folder_that_another_run_takes_for_abandoned_is_made_anew(temporary, monkeypatch, step):
    """The other run looks when this one has just made its folder, or has opened it too."""
    real = getattr(module, step)

    def overtaken(*arguments, **options):
        monkeypatch.setattr(module, step, real)
        if step == "mkdtemp":
            made = real(*arguments, **options)
        module._remove_abandoned()
        assert list(temporary.iterdir()) == []
        return made if step == "mkdtemp" else real(*arguments, **options)

    monkeypatch.setattr(module, step, overtaken)
    with temporary_folder() as folder:
        assert (folder / MARK).is_file()
    assert list(temporary.iterdir()) == []


def test_a_folder_that_another_run_has_locked_is_left_to_it(temporary, monkeypatch):
    def held(handle, why):
        monkeypatch.setattr(module, "lock", real)
        raise InputError(why)

    real = module.lock
    monkeypatch.setattr(module, "lock", held)
    with temporary_folder() as folder:
        assert (folder / MARK).is_file() and len(list(temporary.iterdir())) == 2
