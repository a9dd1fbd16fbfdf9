"""A build that is killed, at whatever moment, goes on where it was and gives the same bytes."""

import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from generated import card_of, random_cards
from pytest import MonkeyPatch, fixture, mark, raises

from agent_discovery.card_store import CardStore
from agent_discovery.cards import CARDS_SCHEMA, card_batches
from agent_discovery.errors import InputError
from agent_discovery.retrieval import build as building
from agent_discovery.retrieval.array_writer import JOURNAL, ArrayFile, ArrayWriter
from agent_discovery.retrieval.arrays import MANIFEST
from agent_discovery.retrieval.build import build_index
from agent_discovery.retrieval.isi import InvertedSignalIndex

TESTS = Path(__file__).parent
CARDS = random_cards(40, seed=3) + [card_of("empty")]
STEPS = {"STEP_CARDS": 9, "CHUNK_ENTRIES": 900, "PARTITION_ENTRIES": 1500}


class Killed(BaseException):
    """Like a kill, no handler of the product sees to it."""


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def stored(path: Path, cards: list, group: int) -> Path:
    with pq.ParquetWriter(path, CARDS_SCHEMA) as writer:
        for batch in card_batches(cards, group):
            writer.write_batch(batch)
    return path


@fixture
def small_steps(monkeypatch: MonkeyPatch) -> MonkeyPatch:
    for name, value in STEPS.items():
        monkeypatch.setattr(building, name, value)
    return monkeypatch


@fixture
def store(tmp_path) -> CardStore:
    return CardStore(stored(tmp_path / "cards.parquet", CARDS, 7))


@fixture
def whole(small_steps, store, tmp_path) -> dict[str, bytes]:
    """What an undisturbed build gives."""
    build_index(store, tmp_path / "whole", corpus="d1")
    return contents(tmp_path / "whole")


def killing(method: Callable, at: int, part: float) -> Callable:
    """`ArrayFile.append`, killed at its call number `at` when `part` of the data is written."""
    calls = iter(range(at + 1))

    def append(self: ArrayFile, content) -> None:
        if next(calls, None) == at:
            method(self, content[: int(len(content) * part)])
            raise Killed
        method(self, content)

    return append


def test_killed_while_writing_at_any_moment(whole, store, small_steps, tmp_path):
    """At every third write, in turn before it, halfway and after it."""
    append = ArrayFile.append
    for at in range(0, 10_000, 3):
        folder = tmp_path / f"isi{at}"
        part = (0, 0.5, 1)[at // 3 % 3]
        small_steps.setattr(ArrayFile, "append", killing(append, at, part))
        try:
            build_index(store, folder, corpus="d1")
            break
        except Killed:
            assert not folder.exists()
        small_steps.setattr(ArrayFile, "append", append)
        build_index(store, folder, corpus="d1")
        assert contents(folder) == whole
    assert 100 < at < 9000  # the last one was not killed


@mark.parametrize("after", [False, True])
def test_killed_between_steps(whole, store, small_steps, tmp_path, after):
    """Before and after each note in the journal; killed again and again."""
    save, kills = ArrayWriter.save, Counter()

    def killed_save(self, *useless, **state):
        step = repr(state)
        if after or kills[step]:
            save(self, *useless, **state)
        kills[step] += 1
        if kills[step] == 1:
            raise Killed

    small_steps.setattr(ArrayWriter, "save", killed_save)
    while not (tmp_path / "isi").exists():
        try:
            build_index(store, tmp_path / "isi", corpus="d1")
        except Killed:
            continue
    assert contents(tmp_path / "isi") == whole
    assert len(kills) > 10 and max(kills.values()) == (1 if after else 2)


def test_a_finished_step_is_never_redone(store, small_steps, tmp_path):
    """Killed after each step, the work done in all is that of one build."""
    done = Counter()

    def counted(name: str) -> None:
        function = getattr(building, name)

        def call(*arguments):
            done[name] += 1
            return function(*arguments)

        small_steps.setattr(building, name, call)

    for name in ("texts_of", "entries_of", "inverted", "write_id_orders"):
        counted(name)
    build_index(store, tmp_path / "whole", corpus="d1")
    once = dict(done)
    done.clear()
    test_killed_between_steps(contents(tmp_path / "whole"), store, small_steps, tmp_path, True)
    # The cards of a row group that a step ends in are looked at again, from there on.
    assert once["texts_of"] <= done.pop("texts_of") <= 2 * once.pop("texts_of")
    assert done == once and once["entries_of"] > 2 and once["inverted"] > 2


def test_a_stream_is_gone_on_with_too(whole, small_steps, tmp_path):
    def broken_off() -> Iterator[pa.RecordBatch]:
        yield from card_batches(CARDS[:21], 4)
        raise Killed

    with raises(Killed):
        build_index(broken_off(), tmp_path / "isi", corpus="d1")
    assert (tmp_path / ".isi.part" / JOURNAL).exists()
    build_index(card_batches(CARDS, 5), tmp_path / "isi", corpus="d1")
    assert contents(tmp_path / "isi") == whole


def half_built(folder: Path, small_steps: MonkeyPatch, store: CardStore) -> Path:
    """What a kill after the second step of the second phase leaves."""
    save = ArrayWriter.save

    def killed_save(self, *useless, **state):
        save(self, *useless, **state)
        if state.get("chunks") == 2:
            raise Killed

    with small_steps.context() as patch, raises(Killed):
        patch.setattr(ArrayWriter, "save", killed_save)
        build_index(store, folder, corpus="d1")
    return folder.with_name(f".{folder.name}.part")


@mark.parametrize(("corpus", "cap"), [("e2", 64), ("d1", 5), ("", 64)])
def test_what_is_of_another_build_is_begun_anew(store, small_steps, tmp_path, corpus, cap):
    half_built(tmp_path / "isi", small_steps, store)
    others = [card_of("other", "text of another corpus")]
    build_index(card_batches(others), tmp_path / "isi", cap, corpus=corpus)
    build_index(card_batches(others), tmp_path / "afresh", cap, corpus=corpus)
    assert contents(tmp_path / "isi") == contents(tmp_path / "afresh")


@mark.parametrize("garbage", [b"", b"{", b"[]", b"null", b'{"plan": 1}'])
def test_a_broken_journal_is_begun_anew(whole, store, small_steps, tmp_path, garbage):
    (half_built(tmp_path / "isi", small_steps, store) / JOURNAL).write_bytes(garbage)
    build_index(store, tmp_path / "isi", corpus="d1")
    assert contents(tmp_path / "isi") == whole


def test_a_file_that_lost_its_end_is_begun_anew(whole, store, small_steps, tmp_path):
    left = half_built(tmp_path / "isi", small_steps, store)
    (left / "card_signals.bin").write_bytes(b"")
    build_index(store, tmp_path / "isi", corpus="d1")
    assert contents(tmp_path / "isi") == whole


def test_an_input_error_leaves_nothing(small_steps, tmp_path):
    with raises(InputError, match="twice"):
        build_index(card_batches([card_of("a"), card_of("a")]), tmp_path / "isi", corpus="d1")
    assert list(tmp_path.iterdir()) == []


def test_kills_at_random_moments(tmp_path):
    """A process that is killed for real; what it left is gone on with by the next."""
    source = stored(tmp_path / "cards.parquet", random_cards(300, seed=7), 50)
    build_index(CardStore(source), tmp_path / "whole", corpus="d1")
    command = [sys.executable, str(TESTS / "build_runner.py"), str(source), str(tmp_path / "isi")]
    rng, left = random.Random(6), tmp_path / ".isi.part"
    for _ in range(2):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            while not (left / JOURNAL).exists() and process.poll() is None:
                time.sleep(0.001)
            time.sleep(rng.uniform(0, 0.1))
            process.kill()
        assert not (left / MANIFEST).exists() or (tmp_path / "isi").exists()
    if not (tmp_path / "isi").exists():
        subprocess.run(command, check=True, capture_output=True)
    assert contents(tmp_path / "isi") == contents(tmp_path / "whole")
    assert InvertedSignalIndex(tmp_path / "isi", verify=True, corpus="d1").cards == 300
