"""Files of our own making, damaged: ledgers, manifests, vectors, and the graph's export."""

import json
from argparse import Namespace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from budget import examples, held
from corpus_files import json_lines, lay
from generated import random_cards
from hypothesis import given
from hypothesis import strategies as st
from test_fuzz_cards import HOSTILE, json_values
from test_ledger import ANSWER, REFUSED

from agent_discovery import Registry
from agent_discovery.arbitration.ledger import Ledger
from agent_discovery.arbitration.outcomes import outcome_of
from agent_discovery.arbitration.prompt import Candidate
from agent_discovery.arbitration.task import Task
from agent_discovery.cards import card_batches
from agent_discovery.cli.verify import run
from agent_discovery.config import Llm
from agent_discovery.reporting.graphml import NAMESPACE, write_graphml
from agent_discovery.retrieval.arrays import with_digest
from agent_discovery.retrieval.build import build_index
from agent_discovery.retrieval.embeddings import (
    read_manifest,
    read_vectors,
    recorded_files,
    write_vectors,
)
from agent_discovery.retrieval.isi import InvertedSignalIndex

TASK = Task("q", "text", 2, "SSR", 2, [Candidate("a", "A", "a"), Candidate("b", "B", "b")])
ASKED = {"call": "c", "kind": "asked", "greatest_usd": 0.5}
RECORDS = [{**ANSWER, "billed_usd": 0.0}, ASKED, REFUSED]


@st.composite
def altered(draw: st.DrawFn, valid: list[dict[str, Any]]) -> dict[str, Any]:
    """A valid object with one or two of its keys gone, or with another value."""
    value = dict(draw(st.sampled_from(valid)))
    for _ in range(draw(st.integers(0, 2))):
        key = draw(st.sampled_from(sorted(value) or ["call"]))
        if draw(st.booleans()):
            value.pop(key, None)
        else:
            value[key] = draw(json_values)
    return value


def damaged(content: bytes, data: st.DataObject) -> bytes:
    """Content with some bytes cut out or put in."""
    start, length = data.draw(st.integers(0, len(content))), data.draw(st.integers(0, 8))
    return content[:start] + data.draw(st.binary(max_size=8)) + content[start + length :]


def flipped(content: bytes, data: st.DataObject) -> bytes:
    """Content as long as before, with one to three of its bytes changed."""
    changed = bytearray(content)
    for _ in range(data.draw(st.integers(1, 3))):
        changed[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    return bytes(changed)


def replayed(path: Path) -> None:
    """Read a ledger, its models and what it spent, and use its answer."""
    ledger = Ledger.read(path)
    ledger.models()
    assert ledger.spent_usd >= 0
    record = ledger.replayed("c")
    if record is not None:
        outcome_of(TASK, record, 100, Llm())


@examples(0.1)
@given(st.lists(altered(RECORDS) | json_values, max_size=3), st.booleans(), st.data())
def test_any_ledger_is_replayed_or_refused(records, cut, data):
    content = "".join(json.dumps(record) + "\n" for record in records).encode()
    with TemporaryDirectory() as folder:
        path = Path(folder, "ledger.jsonl")
        path.write_bytes(damaged(content, data) if cut else content)
        held(replayed, path)


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz") / "isi"
    build_index(card_batches(random_cards(5, seed=1)), folder)
    return folder


def opened(folder: Path) -> None:
    InvertedSignalIndex(folder, verify=True)


@examples(0.06)
@given(data=st.data())
def test_any_manifest_of_an_index_is_opened_or_refused(index, data):
    manifest = index / "manifest.json"
    whole = manifest.read_bytes()
    value = json.loads(whole)
    name = data.draw(st.sampled_from(sorted(value["arrays"])))
    array = data.draw(altered([value["arrays"][name]]) | json_values)
    arrays = {**value["arrays"], data.draw(st.sampled_from([name, *HOSTILE])): array}
    changed = data.draw(altered([value, {**value, "arrays": arrays}]))
    forms = [damaged(whole, data), flipped(whole, data)]
    forms += [json.dumps(form(changed)).encode() for form in (dict, with_digest)]
    content = data.draw(st.sampled_from(forms))
    try:
        manifest.write_bytes(content)
        held(opened, index)
    finally:
        manifest.write_bytes(whole)


@examples(0.02)
@given(data=st.data())
def test_any_damage_to_an_array_is_found(index, data):
    arrays = sorted(index.glob("*.bin"))
    path = data.draw(st.sampled_from(arrays))
    whole = path.read_bytes()
    content = damaged(whole, data)
    try:
        path.write_bytes(content)
        held(opened, index)
        if content != whole:
            with pytest.raises(Exception, match="delete this folder"):
                opened(index)
    finally:
        path.write_bytes(whole)


@pytest.fixture(scope="module")
def registry(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz")
    cards = [{"id": name, "name": name, "description": f"text of {name}"} for name in "abc"]
    queries = [{"id": "q", "text": "text of a"}, {"id": "r", "text": "of b", "steps": ["of"]}]
    lay(folder / "in", {"cards.json": cards, "queries.jsonl": json_lines(*queries)})
    Registry.build(folder / "in", folder / "index")
    return folder / "index"


def used(folder: Path) -> tuple:
    """All that a registry gives of its cards and queries, and what a search finds."""
    registry = Registry.open(folder)
    hits = [hit.id for hit in registry.search("text of a")]
    return list(registry), registry.queries(), hits, run(Namespace(index=folder, corpus=None))


@examples(0.06)
@given(data=st.data())
def test_any_damage_to_a_registry_is_refused_or_changes_nothing(registry, data):
    names = ["cards.parquet", "queries.parquet", "isi/manifest.json", "corpus.json"]
    path = registry / data.draw(st.sampled_from(names))
    whole, known = path.read_bytes(), used(registry)
    damage = data.draw(st.sampled_from([flipped, damaged]))
    try:
        path.write_bytes(damage(whole, data))
        assert held(used, registry) in (None, known)
    finally:
        path.write_bytes(whole)


@pytest.fixture(scope="module")
def vectors(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("fuzz") / "v.parquet"
    write_vectors(path, {"a": np.ones(4, np.float32), "b": np.ones(4, np.float32)})
    return path.read_bytes()


@examples(0.04)
@given(data=st.data())
def test_any_file_of_vectors_is_read_or_refused(vectors, data):
    with TemporaryDirectory() as folder:
        path = Path(folder, "v.parquet")
        path.write_bytes(damaged(vectors, data))
        found = held(read_vectors, [path], ["a", "b", "c"])
        for vector in (found or {}).values():
            assert vector.ndim == 1


def recorded(root: Path) -> None:
    for encoder in read_manifest(root):
        recorded_files(root, encoder)


names = st.sampled_from(["m", "v.parquet", *HOSTILE])
files = st.dictionaries(names, json_values | st.just({"sha256": "0"}), max_size=3)
entries = st.fixed_dictionaries({"files": files | json_values}) | json_values


@examples(0.04)
@given(st.dictionaries(names, entries, max_size=3) | json_values)
def test_any_manifest_of_vectors_is_read_or_refused(value):
    with TemporaryDirectory() as folder:
        Path(folder, "manifest.json").write_text(json.dumps(value))
        held(recorded, Path(folder))


texts = st.text(max_size=12) | st.sampled_from(HOSTILE)


node = st.tuples(texts, texts, texts)


def exported(path: Path, nodes: pd.DataFrame) -> bool:
    write_graphml(path, nodes, {})
    return True


@examples(0.06)
@given(st.lists(node, min_size=1, max_size=4, unique_by=lambda row: row[0]))
def test_any_graph_is_exported_as_xml(rows):
    nodes = pd.DataFrame(rows, columns=["id", "name", "description"])
    nodes = nodes.assign(kind=["agent"] + ["tool"] * (len(rows) - 1), owner=rows[0][0])
    with TemporaryDirectory() as folder:
        path = Path(folder, "graph.graphml")
        held(exported, path, nodes)
        found = ElementTree.parse(path).getroot().findall(f".//{{{NAMESPACE}}}node")
        assert len(found) == len(rows)
        assert [entry.name for entry in Path(folder).iterdir()] == ["graph.graphml"]
