"""What the machine refuses is one line that says what to do, wherever that can be said."""

import errno
import os
import subprocess
import sys

from pytest import mark, param, raises

from agent_discovery.errors import InputError, one_line_errors, refusal_of, shown, tell

PROGRAM = """
from agent_discovery.errors import InputError, one_line_errors
with one_line_errors():
    raise InputError("wrong")
"""


@mark.parametrize("number", [errno.EACCES, errno.EPERM])
def test_who_may_not_read_or_write_is_told_to_get_access(number):
    told = refusal_of(OSError(number, os.strerror(number), "place"))
    assert told.startswith(f"place: {os.strerror(number)}: give yourself access to it")


def test_a_read_only_disk_is_to_be_made_writable():
    told = refusal_of(OSError(errno.EROFS, "Read-only file system", "place"))
    assert told.startswith("place: Read-only file system: make it writable")


@mark.parametrize("name", [None, "made/by/a/library"])
def test_a_working_directory_that_is_gone_is_told_of(tmp_path, monkeypatch, name):
    error = FileNotFoundError(errno.ENOENT, "No such file or directory", name)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    assert "working directory" not in refusal_of(error)
    gone.rmdir()
    assert refusal_of(error).startswith("the working directory is gone: change into")


@mark.parametrize("redirected", ["2>&-", "2>/dev/full", "2>&- >&- <&-"])
def test_the_exit_code_stands_where_nothing_can_be_said(redirected):
    shell = ["bash", "-c", f'"$@" {redirected}', "bash", sys.executable, "-c", PROGRAM]
    assert subprocess.run(shell, stdout=subprocess.PIPE).returncode == 2


def test_nothing_is_said_elsewhere(monkeypatch, capsys):
    """`print` would say it on standard output."""
    with monkeypatch.context() as patch, raises(SystemExit) as ended, one_line_errors():
        patch.setattr(sys, "stderr", None)
        tell("a line")
        raise InputError("wrong")
    assert ended.value.code == 2 and capsys.readouterr() == ("", "")


@mark.parametrize(
    ("value", "text"),
    [
        ("a" * 70, repr("a" * 70)),
        ("a" * 100, "'" + "a" * 79 + "…"),
        ([1, [2.5, (None,)]], "[1, [2.5, (None,)]]"),
        ({"b": 1, "a": {2}}, "{'a': {2}, 'b': 1}"),
        (10**79, str(10**79)),
        param(10**5000, "a int too large to show", id="huge"),
    ],
)
def test_what_a_message_shows(value, text):
    assert shown(value) == text


def test_what_stands_for_billions_is_shown_at_once():
    value: list = ["x"] * 10
    for _ in range(30):
        value = [value] * 10
    assert shown(value).startswith("[[[[...], [...]") and len(shown(value)) == 81
