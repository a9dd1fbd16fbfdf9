"""Searching a registry from Python."""

import gc

import pytest
from corpus_files import json_lines, lay, refusal
from pytest import approx, fixture, mark

from agent_discovery import Registry
from agent_discovery.signals import signals

CARDS = [
    {"id": "scan", "name": "Scanner", "description": "Document."},
    {"id": "print", "name": "Printer", "description": "Convert any document to PDF."},
    {"id": "rain", "name": "Weather", "description": "Rain in a city."},
    {"id": "copy", "name": "Copier", "description": "Document."},
]


@fixture
def folder(tmp_path):
    return lay(tmp_path / "registry", {"cards.jsonl": json_lines(*CARDS)})


def test_three_lines_of_python(folder, temporary):
    registry = Registry.load(folder)
    hits = registry.search("convert a document to PDF", k=2)
    assert [(hit.rank, hit.id, hit.name) for hit in hits] == [
        (1, "print", "Printer"),
        (2, "copy", "Copier"),
    ]


def test_a_score_is_the_sum_of_its_evidence(folder, temporary):
    query = "convert a document to PDF"
    for hit in Registry.load(str(folder)).search(query):
        assert hit.score == approx(sum(evidence.idf for evidence in hit.evidence))
        assert {evidence.signal for evidence in hit.evidence} <= set(signals(query))
        assert all(evidence.fields for evidence in hit.evidence)


@mark.parametrize("k", [3, 4, 10**9])
def test_more_than_there_is_gives_all_candidates_and_no_other(folder, temporary, k):
    """Three of four cards share a signal; all three tie, so their ids decide."""
    hits = Registry.load(folder).search("document", k)
    assert [hit.id for hit in hits] == ["copy", "print", "scan"]
    assert [hit.rank for hit in hits] == [1, 2, 3]


@mark.parametrize("query", ["", "the of a", "unheard"])
def test_no_candidate_is_no_hit(folder, temporary, query):
    assert Registry.load(folder).search(query) == []


@mark.parametrize("k", [0, -1])
def test_k_must_be_positive(folder, temporary, k):
    assert f"not {k}" in refusal(Registry.load(folder).search, "document", k)


def test_length_is_the_number_of_cards(folder, temporary):
    assert len(Registry.load(folder)) == 4


def test_a_single_file_and_a_card_level(tmp_path, temporary):
    card = {"name": "Office", "skills": [{"id": "s", "name": "print", "description": "paper"}]}
    path = lay(tmp_path, {"office.json": card}) / "office.json"
    assert [hit.id for hit in Registry.load(path).search("paper")] == ["office"]
    (hit,) = Registry.load(path, "tool").search("paper")
    assert (hit.id, hit.kind) == ("office::print", "tool")


@pytest.mark.filterwarnings("error")  # a folder left to the garbage collector warns
def test_the_index_goes_with_the_registry(folder, temporary):
    registry = Registry.load(folder)
    (index,) = temporary.iterdir()
    assert index.name.startswith("agent-discovery-")
    del registry
    gc.collect()
    assert list(temporary.iterdir()) == []


@pytest.mark.filterwarnings("error")
def test_a_broken_registry_leaves_nothing(tmp_path, temporary):
    broken = lay(tmp_path / "broken", {"good.json": CARDS[0], "z.json": "{"})
    assert "z.json: broken JSON" in refusal(Registry.load, broken)
    assert list(temporary.iterdir()) == []


def test_two_registries_do_not_disturb_each_other(folder, tmp_path, temporary):
    other = lay(tmp_path / "other", {"a.json": {"name": "Document mill"}})
    first, second = Registry.load(folder), Registry.load(other)
    assert [hit.id for hit in second.search("document")] == ["a"]
    assert len(first.search("document")) == 3
