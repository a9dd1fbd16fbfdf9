"""The manifest of an index: whatever stands in it, the index opens as it was, or is refused."""

import json
import time
from collections.abc import Callable
from pathlib import Path

from corpus_files import refusal as refused
from generated import random_cards
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest import fixture, mark

from agent_discovery.cards import card_batches
from agent_discovery.errors import InputError
from agent_discovery.retrieval.arrays import MANIFEST, with_digest
from agent_discovery.retrieval.build import build_index
from agent_discovery.retrieval.isi import InvertedSignalIndex


@fixture
def folder(tmp_path) -> Path:
    """A whole index, to break."""
    build_index(card_batches(random_cards(5, seed=1)), tmp_path / "isi")
    return tmp_path / "isi"


def refusal(folder: Path, verify: bool = False) -> str:
    """The one line with which opening is refused."""
    message = refused(InvertedSignalIndex, folder, verify)
    assert str(folder) in message
    return message


def edited(folder: Path, edit: Callable[[dict], None]) -> Path:
    """The index with its manifest changed by `edit`, and of the digest that this one has."""
    path = folder / MANIFEST
    manifest = json.loads(path.read_text(encoding="utf-8"))
    edit(manifest)
    path.write_text(json.dumps(with_digest(manifest)), encoding="utf-8")
    return folder


@mark.parametrize(("key", "value"), [("version", 1), ("version", None), ("format", "another")])
def test_another_format_or_version(folder, key, value):
    message = refusal(edited(folder, lambda manifest: manifest.update({key: value})))
    assert str(value) in message and "agent-discovery-isi 2" in message


@mark.parametrize(
    "name", ["../isi/postings", "/etc/hostname", "up\\..\\x", ".hidden", "a/../postings"]
)
def test_names_outside_the_folder(folder, name):
    def rename(manifest: dict) -> None:
        manifest["arrays"][name] = manifest["arrays"]["postings"]

    assert "outside the folder" in refusal(edited(folder, rename))


@mark.parametrize("name", ["x" * 300, "nul\0byte", "new\nline", "\ud800"])
def test_names_that_no_file_has(folder, name):
    def rename(manifest: dict) -> None:
        manifest["arrays"][name] = manifest["arrays"]["postings"]

    refusal(edited(folder, rename))


@mark.parametrize(
    "path",
    [
        ("format",),
        ("version",),
        ("corpus",),
        ("counts",),
        ("arrays",),
        ("counts", "cards"),
        ("counts", "max_signals"),
        ("arrays", "token_data"),
        ("arrays", "postings", "dtype"),
        ("arrays", "postings", "length"),
        ("arrays", "postings", "sha256"),
    ],
    ids=".".join,
)
def test_a_manifest_that_lacks_a_key(folder, path):
    def drop(manifest: dict) -> None:
        for key in path[:-1]:
            manifest = manifest[key]
        del manifest[path[-1]]

    refusal(edited(folder, drop), verify=True)


@mark.parametrize("length", [-1, 10**30, float("inf"), float("nan"), "many", None, [1]])
@mark.parametrize("name", ["postings", "card_signals"])
def test_a_length_that_is_none(folder, name, length):
    refusal(edited(folder, lambda m: m["arrays"][name].update(length=length)))


@mark.parametrize("dtype", ["O", "V0", "(", "<u4,<u4", "no such", "", 7, {"a": 1}, ["<u4"]])
def test_a_dtype_that_is_none(folder, dtype):
    refusal(edited(folder, lambda m: m["arrays"]["postings"].update(dtype=dtype)))


def deep(levels: int) -> bytes:
    return b"[" * levels


@mark.parametrize(
    "garbage",
    [b"", b"{", b"null", b"[]", b"{}", b'"text"', b"\xff\xfe", b"1e999", deep(100_000)],
    ids=lambda garbage: repr(garbage[:8]),
)
def test_a_manifest_that_is_garbage(folder, garbage):
    (folder / MANIFEST).write_bytes(garbage)
    assert "manifest.json" in refusal(folder)


def test_an_index_of_another_corpus(tmp_path):
    build_index(card_batches(random_cards(5, seed=1)), tmp_path / "isi", corpus="a0")
    assert InvertedSignalIndex(tmp_path / "isi", corpus="a0").arrays.corpus == "a0"
    message = refused(InvertedSignalIndex, tmp_path / "isi", False, "b1")
    assert "another corpus" in message


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
paths = st.sampled_from(
    [("format",), ("version",), ("corpus",), ("counts",), ("arrays",), ("arrays", "postings")]
    + [("arrays", name, key) for name in ("postings", "id_order") for key in ("dtype", "length")]
)


# One folder serves all examples, since the manifest is put back each time.
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(paths, values)
def test_any_other_value_is_refused_or_opens(folder, path, value):
    """Whatever stands in the manifest, opening never fails in another way."""

    def put(manifest: dict) -> None:
        for key in path[:-1]:
            manifest = manifest[key]
        manifest[path[-1]] = value

    whole = (folder / MANIFEST).read_bytes()
    try:
        InvertedSignalIndex(edited(folder, put))
    except InputError as error:
        assert str(error).isprintable()
    finally:
        (folder / MANIFEST).write_bytes(whole)


# --- its counts, and its own digest ---------------------------------------------------------------


def unsigned(manifest: dict) -> dict:
    """A manifest as it was written before it held a digest of itself."""
    return {key: value for key, value in manifest.items() if key != "sha256"}


def recounted(folder: Path, **counts: int) -> dict:
    """The manifest with other counts, and nothing else changed."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    return {**manifest, "counts": {**manifest["counts"], **counts}}


COUNTS = [
    {"cards": -1},
    {"cards": 7},
    {"cards": 0},
    {"cards": 1 << 62},
    {"tokens": 0},
    {"max_signals": 1},
    {"max_signals": 0},
    {"max_signals": -64},
]


@mark.parametrize("counts", COUNTS, ids=str)
@mark.parametrize("form", [dict, unsigned, with_digest])
def test_counts_that_are_not_those_of_the_arrays(folder, counts, form):
    """Whether the digest gives them away, is not there, or was made of them."""
    (folder / MANIFEST).write_text(json.dumps(form(recounted(folder, **counts))))
    refusal(folder)


@mark.parametrize("name", ["id_order", "tie_rank", "card_offsets", "term_offsets", "term_postings"])
def test_arrays_whose_lengths_are_of_two_indexes(folder, name):
    def shorten(manifest: dict) -> None:
        array = manifest["arrays"][name]
        array["length"] -= 1
        path = folder / f"{name}.bin"
        path.write_bytes(path.read_bytes()[: -int(array["dtype"][-1])])

    assert "the counts in manifest.json are not those" in refusal(edited(folder, shorten))


def test_only_the_digest_tells_of_a_count_that_could_be(folder):
    (folder / MANIFEST).write_text(json.dumps(recounted(folder, max_signals=63)))
    assert "manifest.json does not have its own checksum" in refusal(folder)


def test_an_index_whose_manifest_has_no_digest_opens(folder):
    """As those that were built before there was one."""
    (folder / MANIFEST).write_text(json.dumps(unsigned(recounted(folder))))
    assert InvertedSignalIndex(folder, verify=True).cards == 5


def test_opening_does_not_read_the_arrays(folder, monkeypatch):
    def no_reading(path: Path) -> str:
        raise AssertionError(path)

    monkeypatch.setattr("agent_discovery.retrieval.arrays.sha256_of", no_reading)
    begun = time.thread_time()
    InvertedSignalIndex(folder)
    assert time.thread_time() - begun < 0.1


@mark.parametrize("bit", [1, 4, 128])
def test_every_byte_of_the_manifest_is_held_to_its_digest(folder, bit):
    """It opens with what it held, say with another line end, or it is refused."""
    path = folder / MANIFEST
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
        try:
            InvertedSignalIndex(folder)
        except InputError as error:
            assert str(error).isprintable()
        else:
            assert json.loads(path.read_bytes()) == json.loads(whole)
