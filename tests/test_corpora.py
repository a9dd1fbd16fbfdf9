"""Naming a corpus, and writing one to its files."""

import hashlib
import json
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq
from corpus_files import refusal
from hypothesis import given
from hypothesis import strategies as st
from pytest import fixture, mark, raises

from agent_discovery.cards import Card, Field, Judgment, Query
from agent_discovery.corpora import check_spec, load_corpus, slug, spec_of
from agent_discovery.corpora.bundled import bundled_names
from agent_discovery.corpora.corpus import Corpus, write_corpus

UNKNOWN = [
    "",
    "nope",
    "Toolpool",
    "toolpool ",
    "irds",
    "irds:",
    "files:",
    "file:x",
    "FILES:x",
    "a\nb",
]
FILES = {"cards.parquet", "corpus.json", "qrels.parquet", "queries.parquet"}

specs = st.sampled_from(["irds:", "files:", ""]).flatmap(
    lambda scheme: st.text(alphabet="ab-/._ A\n\u00e9\udcff", min_size=1).map(scheme.__add__)
)


def card(card_id: str, **changes) -> Card:
    """A tool's card."""
    fields = (Field("parent.name", "P"), Field("name", "N"))
    return Card(card_id, "N", "", fields, "p", "tool", "test")._replace(**changes)


@fixture
def corpus() -> Corpus:
    """Three cards, three queries, four judgments, in no sorted order."""
    return Corpus(
        spec="made-up",
        cards=[card("b"), card("c", parent=None, fields=()), card("a", name="na\u00efve")],
        queries=[
            Query("q2", "two", ("x", "y"), "s"),
            Query("q1", "one", (), "s"),
            Query("q3", "", (), "s"),
        ],
        qrels=[
            Judgment("q2", "c", 1),
            Judgment("q1", "a", 2),
            Judgment("q1", "c", -1),
            Judgment("q3", "b", 0),
        ],
        checksums={"z": "2", "a": "1"},
        notes=["a note"],
    )


@mark.parametrize("spec", UNKNOWN)
def test_an_unknown_corpus_is_refused_with_those_that_are_known(spec):
    for call in (check_spec, load_corpus):
        message = refusal(call, spec)
        assert all(known in message for known in ("toolpool", "apibench", "irds:ID", "files:DIR"))


@mark.parametrize("spec", [*bundled_names(), "irds:x", "files:x", "files:/"])
def test_a_known_form_is_let_through(spec):
    assert check_spec(spec) is None


def test_a_path_stands_for_its_files(tmp_path, monkeypatch):
    assert spec_of(str(tmp_path)) == f"files:{tmp_path}"
    assert spec_of("irds:x") == "irds:x"
    assert spec_of("x" * 5_000) == "x" * 5_000
    (tmp_path / "toolpool").mkdir()
    monkeypatch.chdir(tmp_path)
    assert spec_of("toolpool") == "toolpool"  # the bundled set goes before a folder of its name
    assert spec_of("./toolpool") == "files:./toolpool"


def test_slugs_of_bundled_sets_are_their_names():
    assert [slug(name) for name in bundled_names()] == bundled_names()


@mark.parametrize(
    ("spec", "expected"),
    [
        ("irds:cranfield", "irds-cranfield"),
        ("irds:msmarco-passage/dev/small", "irds-msmarco-passage--dev--small"),
        ("irds:trec-fair/2021", "irds-trec-fair--2021"),
        ("irds:trec-fair-2021", "irds-trec-fair-2021"),
    ],
)
def test_slugs_of_collections_can_be_read(spec, expected):
    assert slug(spec) == expected


def test_a_folder_has_one_slug_with_and_without_a_slash_at_its_end():
    assert slug("files:my/registry") == slug("files:my/registry/")
    assert slug("files:my/registry").startswith("files-my-registry-")


@given(specs)
def test_slugs_are_file_names_everywhere(spec):
    name = slug(spec)
    assert name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    assert len(name) <= 100


@given(specs, specs)
def test_slugs_keep_specs_apart(one, other):
    # A slash at the end of a folder is the one difference that is none.
    named = [spec.rstrip("/") if spec.startswith("files:") else spec for spec in (one, other)]
    assert (slug(one) == slug(other)) == (named[0] == named[1])


@mark.parametrize(
    "pair",
    [
        ("irds:a/b", "irds:a-b"),
        ("irds:a/-b", "irds:a-/b"),
        ("irds:a.b", "irds:a-b"),
        ("irds:A", "irds:a"),
        ("files:a/b", "files:a-b"),
        ("files:" + "x" * 100 + "1", "files:" + "x" * 100 + "2"),
        ("irds:" + "x" * 100 + "1", "irds:" + "x" * 100 + "2"),
        ("files:toolpool", "toolpool"),
    ],
)
def test_slugs_of_specs_that_look_alike_differ(pair):
    assert slug(pair[0]).lower() != slug(pair[1]).lower()


def test_the_files_hold_what_the_corpus_holds(corpus, tmp_path):
    write_corpus(corpus, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == FILES
    rows = pq.read_table(tmp_path / "cards.parquet").to_pylist()
    assert rows[0] == {
        "id": "b",
        "name": "N",
        "description": "",
        "fields": [{"field": "parent.name", "text": "P"}, {"field": "name", "text": "N"}],
        "parent": "p",
        "kind": "tool",
        "source": "test",
    }
    assert [row["id"] for row in rows] == ["b", "c", "a"]
    assert (rows[1]["parent"], rows[1]["fields"], rows[2]["name"]) == (None, [], "na\u00efve")
    queries = pq.read_table(tmp_path / "queries.parquet").to_pylist()
    assert queries[0] == {"qid": "q2", "text": "two", "steps": ["x", "y"], "source": "s"}
    assert [query["qid"] for query in queries] == ["q2", "q1", "q3"]
    qrels = pq.read_table(tmp_path / "qrels.parquet").to_pylist()
    judged = [("q2", "c", 1), ("q1", "a", 2), ("q1", "c", -1), ("q3", "b", 0)]
    assert [tuple(row.values()) for row in qrels] == judged


@mark.parametrize("with_queries", [True, False])
def test_the_schemas_are_those_of_the_contract(corpus, tmp_path, with_queries):
    if not with_queries:
        corpus.queries, corpus.qrels = [], []
    write_corpus(corpus, tmp_path)
    text = pa.string()
    field = pa.struct([("field", text), ("text", text)])
    columns = {
        "cards": {"fields": pa.list_(field)},
        "queries": {"steps": pa.list_(text)},
        "qrels": {"grade": pa.int32()},
    }
    names = {
        "cards": ["id", "name", "description", "fields", "parent", "kind", "source"],
        "queries": ["qid", "text", "steps", "source"],
        "qrels": ["qid", "id", "grade"],
    }
    for table, types in columns.items():
        expected = pa.schema([(name, types.get(name, text)) for name in names[table]])
        assert pq.read_schema(tmp_path / f"{table}.parquet").equals(expected)


def test_corpus_json_counts_and_keeps_what_the_loader_says(corpus, tmp_path):
    write_corpus(corpus, tmp_path)
    texts = "".join(f"{card.id}\t{card.text}\n" for card in corpus.cards)
    cards = hashlib.sha256(texts.encode()).hexdigest()
    assert json.loads((tmp_path / "corpus.json").read_bytes()) == {
        "corpus": "made-up",
        # q3 has no judgment above 0.
        "counts": {"cards": 3, "queries": 3, "judged_queries": 2, "judgments": 4},
        "checksums": {"cards": cards, "a": "1", "z": "2"},
        "notes": ["a note"],
        "real": True,
    }


@mark.parametrize(("expected", "is_real"), [(3, True), (2, False), (4, False)])
def test_a_count_that_is_not_the_expected_one_is_told(corpus, tmp_path, expected, is_real):
    corpus.total = expected
    write_corpus(corpus, tmp_path)
    about = json.loads((tmp_path / "corpus.json").read_bytes())
    assert about["real"] is is_real
    assert (about["notes"] == ["a note"]) is is_real


def test_two_writes_give_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        write_corpus(load_corpus("toolalpaca"), tmp_path / name)
    for file in FILES:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_cards_are_written_as_a_stream(tmp_path):
    """More cards than a batch holds are never all there at once."""
    alive = 0
    most = 0

    class Counted(str):
        def __new__(cls, value: str):
            nonlocal alive, most
            alive += 1
            most = max(most, alive)
            return super().__new__(cls, value)

        def __del__(self):
            nonlocal alive
            alive -= 1

    count = 30_000
    stream = (card(Counted(number)) for number in range(count))
    write_corpus(Corpus("made-up", stream), tmp_path)
    assert most < count
    assert pq.ParquetFile(tmp_path / "cards.parquet").metadata.num_rows == count


def broken_stream() -> Iterator[Card]:
    yield card("a")
    raise RuntimeError("the disk is gone")


@mark.parametrize(
    ("changes", "why"),
    [
        ({"cards": []}, "there is no card in it"),
        ({"cards": [card("a"), card("b"), card("c"), card("b")]}, "card id 'b' is there twice"),
        ({"cards": [card("\ud800")]}, "surrogate"),
        ({"cards": [card("a", fields=(Field("name", "x\udfff"),))]}, "surrogate"),
        ({"queries": [Query("q", "\ud800", (), "s")]}, "surrogate"),
        ({"queries": [Query("q", "x", ("\ud800",), "s")]}, "surrogate"),
        ({"queries": [Query("q1", "x", (), "s")] * 2}, "query id 'q1' is there twice"),
        ({"qrels": [Judgment("q1", "a", 1), Judgment("q1", "a", 2)]}, "judged twice"),
        ({"qrels": [Judgment("q1", "z", 1)]}, "(q1, z) is for a card that is not there"),
        ({"qrels": [Judgment("q9", "a", 0)]}, "(q9, a) is for a query that is not there"),
    ],
)
def test_a_broken_corpus_is_refused_and_leaves_nothing(corpus, tmp_path, changes, why):
    for name, value in changes.items():
        setattr(corpus, name, value)
    message = refusal(write_corpus, corpus, tmp_path)
    assert message.startswith("made-up: ") and why in message
    assert list(tmp_path.iterdir()) == []


def test_a_failing_source_leaves_what_was_there_before(corpus, tmp_path):
    write_corpus(corpus, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    corpus.cards = broken_stream()
    with raises(RuntimeError, match="the disk is gone"):
        write_corpus(corpus, tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
