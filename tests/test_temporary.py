"""Temporary folders: gone at the end, and where a run is killed, by the next run."""

import os
import signal
import subprocess
import sys

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
    own, target = temporary / f"{PREFIX}results", temporary / "target"
    own.mkdir()
    target.mkdir()
    (target / MARK).touch()
    (temporary / f"{PREFIX}link").symlink_to(target)
    with temporary_folder():
        pass
    assert own.exists() and (target / MARK).exists()
