"""Runs in the format of trec_eval, as trec_eval reads them."""

from pathlib import Path
from urllib.parse import unquote

import ir_measures
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import fixture

from agent_discovery.retrieval.methods import RUN_SCHEMA
from agent_discovery.retrieval.trec import write_trec


@fixture(scope="module")
def path(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("trec") / "run.trec"


def run_of(qids: list[str], ids: list[str]) -> pa.Table:
    """All cards of each query in the order given; all scores tie."""
    rows = [(qid, card, rank, 1.5, 1) for qid in qids for rank, card in enumerate(ids, 1)]
    columns = list(zip(*rows, strict=True)) or [[] for _ in RUN_SCHEMA]
    return pa.table(
        [pa.array(c, t) for c, t in zip(columns, RUN_SCHEMA.types, strict=True)], RUN_SCHEMA
    )


def test_lines_by_hand(path):
    write_trec(path, run_of(["q 1"], ["a/b::c", "50%"]), "ssr")
    assert path.read_bytes() == (
        b"q%201 Q0 a/b::c 1 1.000000000 ssr\nq%201 Q0 50%25 2 0.500000000 ssr\n"
    )


def test_a_run_without_rows_is_an_empty_file(path):
    write_trec(path, run_of([], []), "ssr")
    assert path.read_bytes() == b""


ids = st.text(min_size=1) | st.text(
    alphabet=" %20\t\n\r\x0b\x1c\x85\u00a0\u2028\u3000é", min_size=1
)


@settings(max_examples=60)
@given(st.lists(ids, min_size=1, max_size=3, unique=True), st.lists(ids, max_size=4, unique=True))
def test_any_id_is_one_word_and_reads_back(path, qids, cards):
    write_trec(path, run_of(qids, cards), "tag")
    rows = [line.split() for line in path.read_bytes().decode().split("\n")[:-1]]
    assert all(len(row) == 6 for row in rows)
    found = [(unquote(qid), unquote(card), int(rank)) for qid, _, card, rank, _, _ in rows]
    assert found == [(qid, card, rank) for qid in qids for rank, card in enumerate(cards, 1)]


def test_trec_evals_order_is_the_ranking(path):
    """trec_eval sorts by score, and would sort these ids the other way round if scores tied."""
    cards = [f"card{place:04}" for place in range(1000)]
    write_trec(path, run_of(["q"], cards), "tag")
    read = list(ir_measures.read_trec_run(str(path)))
    assert len({row.score for row in read}) == 1000
    assert [row.doc_id for row in sorted(read, key=lambda row: -row.score)] == cards
    relevant = [ir_measures.Qrel("q", "card0004", 1)]
    assert ir_measures.calc_aggregate([ir_measures.RR], relevant, read) == {ir_measures.RR: 0.2}
