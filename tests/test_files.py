"""Result files: whole or not there, and always the same bytes."""

import errno
import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pytest import fixture, mark, raises

from agent_discovery.errors import InputError, one_line_errors, refusal_of
from agent_discovery.files import (
    CHUNK_BYTES,
    no_formula,
    sha256_of,
    write_csv,
    write_json,
    write_table,
    write_text,
    written_aside,
)

OLD, NEW = "the old content", "the new content"


class Broken(Exception):
    """What a test lets a writer fail with."""


@fixture
def target(tmp_path) -> Path:
    return tmp_path / "results" / "out.txt"


def left(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_a_file_is_there_when_the_block_has_ended_and_not_before(target):
    with written_aside(target) as aside:
        aside.write_text(NEW)
        assert aside.parent == target.parent and not target.exists()
    assert target.read_text() == NEW
    assert left(target.parent) == ["out.txt"]


@mark.parametrize("old", [None, OLD])
@mark.parametrize("error", [Broken, KeyboardInterrupt, SystemExit])
def test_a_failed_block_leaves_what_was_there(target, old, error):
    if old:
        write_text(target, old)
    with raises(error), written_aside(target) as aside:
        aside.write_text("half")
        raise error
    assert left(target.parent) == (["out.txt"] if old else [])
    assert not old or target.read_text() == old


def test_a_block_that_writes_nothing_is_an_error(target):
    with raises(FileNotFoundError), written_aside(target):
        pass
    assert left(target.parent) == []


KILLED = """
import os, sys
from agent_discovery.files import written_aside
with written_aside(sys.argv[1]) as aside:
    aside.write_text("half")
    os.kill(os.getpid(), 9)
"""


def test_what_a_killed_run_leaves_is_taken_over(target):
    write_text(target, OLD)
    assert subprocess.run([sys.executable, "-c", KILLED, target]).returncode == -9
    assert len(left(target.parent)) == 2 and target.read_text() == OLD
    write_text(target, NEW)
    assert left(target.parent) == ["out.txt"] and target.read_text() == NEW


def fill(folder: Path, name: str) -> None:
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / name).write_text(name)


def test_a_folder_is_written_the_same_way(tmp_path):
    with written_aside(tmp_path / "index") as aside:
        fill(aside, "a.bin")
        assert not (tmp_path / "index").exists()
    assert left(tmp_path) == ["index", "index/deep", "index/deep/er", "index/deep/er/a.bin"]


def test_a_failed_folder_leaves_nothing(tmp_path):
    with raises(Broken), written_aside(tmp_path / "index") as aside:
        fill(aside, "a.bin")
        raise Broken
    assert left(tmp_path) == []


def test_a_folder_that_a_killed_run_left_is_taken_over(tmp_path):
    with written_aside(tmp_path / "index") as aside:
        pass_over = aside
        fill(aside, "a.bin")
    fill(pass_over, "left.bin")
    (tmp_path / "index").rename(tmp_path / "moved")
    with written_aside(tmp_path / "index") as aside:
        assert aside == pass_over and not aside.exists()
        fill(aside, "b.bin")
    assert [path.name for path in (tmp_path / "index").rglob("*.bin")] == ["b.bin"]
    assert not pass_over.exists()


def test_a_folder_that_is_gone_on_with_is_one_runs_alone(tmp_path):
    with written_aside(tmp_path / "out", resumed=True) as aside:
        (aside / "half").write_text(OLD)
        second = written_aside(tmp_path / "out", resumed=True)
        with raises(InputError, match="another run is writing it: wait until it ends"), second:
            raise AssertionError
        assert left(tmp_path) == [".out.part", ".out.part/half"]
    assert left(tmp_path) == ["out", "out/half"]


@mark.parametrize("resumed", [True, False])
@mark.parametrize("name", ["", ".", "..", "/", "none/.."])
def test_a_path_without_a_name_is_refused(tmp_path, monkeypatch, name, resumed):
    monkeypatch.chdir(tmp_path)
    with raises(InputError, match="cannot be made: give a name"), written_aside(name, resumed):
        raise AssertionError
    assert left(tmp_path) == []


@mark.parametrize("target", [None, "precious", "nowhere"])
def test_what_is_in_the_way_of_a_folder_is_neither_followed_nor_removed(tmp_path, target):
    fill(tmp_path / "precious", "kept.txt")
    place = tmp_path / ".out.part"
    place.symlink_to(tmp_path / target) if target else place.touch()
    before = left(tmp_path)
    aside = written_aside(tmp_path / "out", resumed=True)
    with raises(InputError, match="out.part: a file or a link is in the way"), aside:
        raise AssertionError
    assert left(tmp_path) == before


def test_a_refusal_of_the_disk_names_the_file(target):
    with raises(OSError) as refused, written_aside(target):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert refusal_of(refused.value) == (
        f"{target}: No space left on device: make room, then run the same command again"
    )


def test_a_refusal_without_a_number_names_the_file(target):
    with raises(OSError) as refused, written_aside(target):
        raise OSError("database or disk is full")
    assert refusal_of(refused.value) == f"{target}: database or disk is full"


def test_what_a_link_points_at_is_not_removed(tmp_path):
    fill(tmp_path / "precious", "kept.txt")
    with raises(Broken), written_aside(tmp_path / "index") as aside:
        aside.mkdir()
        (aside / "link").symlink_to(tmp_path / "precious")
        raise Broken
    aside.symlink_to(tmp_path / "precious")
    write_text(tmp_path / "index", NEW)
    assert (tmp_path / "precious" / "deep" / "er" / "kept.txt").read_text() == "kept.txt"
    assert (tmp_path / "index").read_text() == NEW


def test_text_is_utf_8_with_line_feeds(target):
    write_text(target, "é\n\u2028\n")
    assert target.read_bytes() == b"\xc3\xa9\n\xe2\x80\xa8\n"


def test_json_is_sorted_and_readable(target):
    write_json(target, {"b": [1, 0.1], "a": "é"})
    assert target.read_text("utf-8") == '{\n  "a": "é",\n  "b": [\n    1,\n    0.1\n  ]\n}\n'
    with raises(ValueError):
        write_json(target, {"a": float("nan")})
    assert '"é"' in target.read_text("utf-8")


def csv_of(path: Path, **columns: list) -> str:
    write_csv(path, pd.DataFrame(columns, index=None))
    return path.read_bytes().decode()


@mark.parametrize(
    ("value", "text"),
    [
        (1 / 3, "0.333333"),
        (0.000119, "0.000119"),
        (2 / 3 * 1e-6, "0.000001"),
        (1e15, "1000000000000000.000000"),
        (0.0, "0.000000"),
        (-0.0, "0.000000"),
        (-4e-7, "0.000000"),
        (-6e-7, "-0.000001"),
        (-0.5, "-0.500000"),
    ],
)
def test_floats_have_six_decimals(target, value, text):
    assert csv_of(target, x=[value, 1.5]) == f"x\n{text}\n1.500000\n"


def test_what_is_missing_is_empty_and_other_values_are_as_they_are(target):
    text = csv_of(
        target,
        x=[np.nan, 0.5],
        count=[8841823, 0],
        flag=[True, False],
        name=['say "hi", now', None],
    )
    assert text == 'x,count,flag,name\n,8841823,True,"say ""hi"", now"\n0.500000,0,False,\n'


def test_a_table_reads_back(target):
    table = pd.DataFrame({"name": ["a\nb", "é,;\t", "'"], "x": [0.25, np.nan, -1], "n": [1, 2, 3]})
    write_csv(target, table)
    pd.testing.assert_frame_equal(pd.read_csv(target), table)


def test_parquet_is_the_same_bytes_every_time(tmp_path):
    table = pa.table({"id": ["a", "b", None] * 1000, "x": list(range(3000))})
    for name in ("first", "second"):
        write_table(tmp_path / name, table)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    assert pq.read_table(tmp_path / "first").equals(table)
    write_table(tmp_path / "other", table.slice(1))
    assert (tmp_path / "other").read_bytes() != (tmp_path / "first").read_bytes()


def test_sha256_of_a_known_file(target):
    write_text(target, "abc")  # the example of FIPS 180-2
    assert sha256_of(target) == ("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")


@mark.parametrize("size", [0, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1])
def test_sha256_of_files_around_the_size_of_a_chunk(target, size):
    target.parent.mkdir()
    content = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    target.write_bytes(content)
    assert sha256_of(str(target)) == hashlib.sha256(content).hexdigest()


def test_foreign_text_begins_no_formula():
    for text in ("=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1"):
        assert no_formula(text) == "'" + text
    assert no_formula("a=1") == "a=1" and no_formula("") == ""


def test_a_package_that_is_not_installed_is_one_line(capsys):
    with raises(SystemExit) as ended, one_line_errors():
        import nosuchpackage  # noqa: F401
    assert ended.value.code == 2
    told = "No module named 'nosuchpackage': install what the README says"
    assert capsys.readouterr().err.startswith(f"agent-discovery: error: {told}")
