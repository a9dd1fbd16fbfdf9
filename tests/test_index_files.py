"""The ids of an index, and its files: what is broken is refused, and what fails leaves nothing."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from generated import card_of, cards_of, random_cards
from hypothesis import given
from hypothesis import strategies as st
from pytest import fixture, mark, raises

from agent_discovery.cards import card_batches
from agent_discovery.errors import InputError
from agent_discovery.retrieval.arrays import MANIFEST
from agent_discovery.retrieval.build import build_index
from agent_discovery.retrieval.isi import InvertedSignalIndex

ARRAYS = 19  # as the module `build` lists them


def tied_ids(index: InvertedSignalIndex, tie_break: str) -> list[str]:
    """All ids in the order that breaks ties."""
    places = index.tie_order(tie_break)
    return [index.id_of(card) for card in sorted(range(index.cards), key=places.__getitem__)]


@mark.parametrize(
    ("ids", "paper", "authors"),
    [
        (["10", "2", "1"], ["1", "2", "10"], ["2", "10", "1"]),
        # One id that is not written as a number usually is: all are strings.
        (["2", "10", "010"], ["010", "10", "2"], ["2", "10", "010"]),
        (["2", "10", "b"], ["10", "2", "b"], ["b", "2", "10"]),
        (["2", "10", "1.5"], ["1.5", "10", "2"], ["2", "10", "1.5"]),
        (["2", "10", "\u0663"], ["10", "2", "\u0663"], ["\u0663", "2", "10"]),
        (["0", "999999999999999999"], ["0", "999999999999999999"], ["999999999999999999", "0"]),
        # By code point, which for the last two is not the order of UTF-16.
        (
            ["\U0001f600", "\uff21", "Z", "a"],
            ["Z", "a", "\uff21", "\U0001f600"],
            ["\U0001f600", "\uff21", "a", "Z"],
        ),
    ],
)
def test_the_order_of_ties(build, ids, paper, authors):
    index = build([card_of(card_id, "same text") for card_id in ids])
    assert tied_ids(index, "paper") == paper
    assert tied_ids(index, "authors") == authors


@given(st.lists(st.text(min_size=1), min_size=1, max_size=10, unique=True), st.text())
def test_ids_lead_to_cards_and_back(build, ids, other):
    index = build([card_of(card_id, "same text") for card_id in ids])
    assert [index.id_of(card) for card in range(len(ids))] == ids
    assert [index.card_of(card_id) for card_id in ids] == list(range(len(ids)))
    assert (index.card_of(other) is not None) == (other in ids)
    assert tied_ids(index, "authors") == sorted(ids, reverse=True)


@given(st.lists(st.integers(0, 10**17), min_size=1, max_size=20, unique=True))
def test_whole_numbers_tie_by_value(build, numbers):
    index = build([card_of(str(number), "same text") for number in numbers])
    assert tied_ids(index, "paper") == [str(number) for number in sorted(numbers)]


# --- a build that fails ---------------------------------------------------------------------------


def one_line(error) -> str:
    """The message, which must be a single printable line."""
    message = str(error.value)
    assert message.isprintable() and message
    return message


@mark.parametrize("batch", [1, 100])
@mark.parametrize("repeated", ["twice", "", "a\nb", "na\u00efve"])
def test_an_id_twice_is_refused(tmp_path, batch, repeated):
    cards = [card_of(card_id, "text") for card_id in ("first", repeated, "between", repeated)]
    with raises(InputError, match="twice") as error:
        build_index(card_batches(cards, batch), tmp_path / "isi")
    assert repr(repeated) in one_line(error)
    assert list(tmp_path.iterdir()) == []


def test_a_lone_surrogate_is_refused(tmp_path):
    cards = [card_of("1", "fine"), card_of("2", "before \ud800 after")]
    with raises(InputError, match="surrogate") as error:
        build_index(card_batches(cards, 1), tmp_path / "isi")
    one_line(error)
    assert list(tmp_path.iterdir()) == []


def broken_off() -> Iterator[pa.RecordBatch]:
    yield from card_batches(random_cards(5, seed=1))
    raise RuntimeError("the source broke off")


def test_a_source_that_breaks_off_leaves_nothing(tmp_path):
    with raises(RuntimeError, match="broke off"):
        build_index(broken_off(), tmp_path / "isi")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_build_left_is_taken_over(tmp_path):
    left = tmp_path / ".isi.part"
    (left / "deeper").mkdir(parents=True)
    (left / "postings.bin").write_bytes(b"half written")
    build_index(card_batches(cards_of(["hello"])), tmp_path / "isi")
    assert [path.name for path in tmp_path.iterdir()] == ["isi"]
    assert not (tmp_path / "isi" / "deeper").exists()


def test_an_index_that_is_there_is_not_touched(tmp_path):
    build_index(card_batches(cards_of(["old"])), tmp_path / "isi")
    with raises((InputError, OSError)):
        build_index(card_batches(cards_of(["new"])), tmp_path / "isi")
    assert [path.name for path in tmp_path.iterdir()] == ["isi"]
    assert InvertedSignalIndex(tmp_path / "isi", verify=True).vocabulary[0] == "old"


# --- opening a broken index -----------------------------------------------------------------------


@fixture
def folder(tmp_path) -> Path:
    """A whole index, to break."""
    build_index(card_batches(random_cards(5, seed=1)), tmp_path / "isi")
    return tmp_path / "isi"


def refusal(folder: Path, verify: bool = False) -> str:
    """The one line with which opening is refused."""
    with raises(InputError) as error:
        InvertedSignalIndex(folder, verify)
    assert str(folder) in one_line(error)
    return str(error.value)


def test_a_whole_index_opens(folder):
    assert InvertedSignalIndex(folder, verify=True).cards == 5
    assert len(list(folder.glob("*.bin"))) == ARRAYS


def test_a_folder_that_is_not_there(tmp_path):
    assert "manifest.json is missing" in refusal(tmp_path / "nowhere")


def test_a_missing_manifest(folder):
    (folder / MANIFEST).unlink()
    assert "no finished index" in refusal(folder)


def test_every_missing_file_is_named(folder):
    for path in folder.glob("*.bin"):
        aside = path.rename(path.with_suffix(".aside"))
        assert path.name in refusal(folder)
        aside.rename(path)


@mark.parametrize("change", [lambda whole: whole[:-1], lambda whole: whole + b"\0"])
def test_every_file_of_the_wrong_size_is_named(folder, change):
    for path in folder.glob("*.bin"):
        whole = path.read_bytes()
        path.write_bytes(change(whole))
        assert path.name in refusal(folder)
        path.write_bytes(whole)


def test_every_changed_byte_is_found(folder):
    for path in folder.glob("*.bin"):
        whole = path.read_bytes()
        path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        InvertedSignalIndex(folder)  # the sizes are right, and more is not looked at
        assert path.name in refusal(folder, verify=True)
        path.write_bytes(whole)
