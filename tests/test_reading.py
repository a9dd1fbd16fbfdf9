"""No reader waits for a pipe or reads a device, and no parser drops one of two keys."""

import os

from corpus_files import refusal
from pytest import mark, raises

from agent_discovery.corpora.generated import MARK, read_mark
from agent_discovery.corpora.readers import parse_json, read_text
from agent_discovery.errors import InputError
from agent_discovery.reading import check_regular, whole_parquet
from agent_discovery.retrieval.embeddings import read_manifest, read_vectors
from agent_discovery.retrieval.lexical import ENGINE, open_bm25


@mark.parametrize("name", ["pipe", "linked", "folder", "missing", "/dev/zero", "n\0l", "loop"])
def test_what_is_no_regular_file_is_refused(tmp_path, name):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "linked").symlink_to("pipe")
    (tmp_path / "loop").symlink_to("loop")
    with raises(OSError) as error:
        check_regular(tmp_path / name)
    assert error.value.strerror and error.value.filename == str(tmp_path / name)
    assert refusal(read_text, tmp_path / name)


def test_a_file_or_a_link_to_one_is_regular(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "linked").symlink_to("file")
    check_regular(tmp_path / "file")
    assert read_text(tmp_path / "linked") == "x"


@mark.parametrize(
    ("name", "read"),
    [
        (MARK, read_mark),
        ("manifest.json", read_manifest),
        (ENGINE, lambda folder: open_bm25(None, folder)),
        ("v.parquet", lambda folder: read_vectors([folder / "v.parquet"], ["a"])),
    ],
)
@mark.parametrize("deep", [False, True])
def test_a_pipe_or_json_nested_deep_is_one_line(tmp_path, name, read, deep):
    if deep:
        (tmp_path / name).write_text("[" * 100_000)
    else:
        os.mkfifo(tmp_path / name)
    assert str(tmp_path / name) in refusal(read, tmp_path)


@mark.parametrize("error", [UnicodeDecodeError("utf-8", b"", 0, 1, "x"), TypeError(), KeyError()])
def test_whatever_a_damaged_file_raises_is_one_line(error):
    with raises(InputError, match="^p: not whole$"), whole_parquet("p: not whole"):
        raise error


@mark.parametrize(
    ("text", "key"), [('{"a": 1, "b": 2, "a": 1}', "'a'"), ('[{"x": {"": 1, "": 2}}]', "''")]
)
def test_a_key_that_is_there_twice_is_named(text, key):
    message = refusal(parse_json, text, "f:1")
    assert message == f"f:1: broken JSON (the key {key} is twice in one object: keep one)"


def test_a_long_key_is_not_quoted_whole():
    pair = f'"{"k" * 5000}": 1'
    assert len(refusal(parse_json, f"{{{pair}, {pair}}}", "f")) < 200


def test_the_same_key_in_two_objects_is_no_fault():
    assert parse_json('[{"a": {"a": 1}}, {"a": 2}]', "f") == [{"a": {"a": 1}}, {"a": 2}]
