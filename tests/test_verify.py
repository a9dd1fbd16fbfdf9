"""`agent-discovery verify`: whether an index is whole, and of the corpus that it should be of."""

from pathlib import Path

from generated import random_cards
from pytest import fixture, mark

from agent_discovery.cards import card_batches
from agent_discovery.cli import main
from agent_discovery.retrieval.build import build_index


@fixture
def folder(tmp_path) -> Path:
    """A whole index, to break."""
    build_index(card_batches(random_cards(5, seed=1)), tmp_path / "isi")
    return tmp_path / "isi"


def verified(*arguments: str | Path) -> int:
    """The exit code of `agent-discovery verify`."""
    try:
        main(["verify", *map(str, arguments)])
    except SystemExit as ended:
        return ended.code
    return 0


def test_a_whole_index_is_verified(folder, capsys):
    assert verified(folder) == 0
    assert capsys.readouterr().out == f"{folder}: whole, 5 cards\n"


def test_a_changed_byte_is_told_in_one_line(folder, capsys):
    path = folder / "postings.bin"
    path.write_bytes(path.read_bytes()[:-1] + b"\xff")
    assert verified(folder) == 2
    told = capsys.readouterr().err
    assert "postings.bin does not have its checksum" in told and told.count("\n") == 1


@mark.parametrize(
    ("about", "code"),
    [('{"checksums": {"cards": "a0"}}', 0), ('{"checksums": {"cards": "b1"}}', 2), ("[]", 2)],
)
def test_an_index_is_verified_against_a_corpus(tmp_path, capsys, about, code):
    build_index(card_batches(random_cards(5, seed=1)), tmp_path / "isi", corpus="a0")
    (tmp_path / "corpus.json").write_text(about)
    assert verified(tmp_path / "isi", "--corpus", tmp_path / "corpus.json") == code
    assert capsys.readouterr().err.count("\n") == (1 if code else 0)
