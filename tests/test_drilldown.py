"""One query looked at closely: values by hand on four cards, three nodes, two candidates."""

import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pytest import approx, fixture, raises

from agent_discovery.arbitration.arbitrate import arbitrate
from agent_discovery.arbitration.prompt import Candidate
from agent_discovery.arbitration.task import Task
from agent_discovery.card_store import CardStore
from agent_discovery.cards import CARDS_SCHEMA, Card, Field, card_batches
from agent_discovery.config import Llm
from agent_discovery.errors import InputError
from agent_discovery.notebooks.drilldown import BEYOND_THE_CAP, Case, members_of, whole
from agent_discovery.notebooks.exchange import NO_CALL, REFUSED, exchange
from agent_discovery.notebooks.graph_drilldown import GraphCase
from agent_discovery.retrieval.fusion import Weights
from agent_discovery.retrieval.graph import AgentGraph, Node
from agent_discovery.retrieval.pools import POOLS_SCHEMA

TEXTS = {
    "a": ("Word to PDF", "convert word files"),
    "b": ("PDF", "convert anything"),
    "c": ("Weather", "forecast"),
    "d": ("Merge", "pdf files"),
}
QUERY = "convert word document"
ONE_OF_4, TWO_OF_4 = math.log(5 / 2) + 1, math.log(5 / 3) + 1


def card(card_id: str, name: str, description: str) -> Card:
    fields = (Field("name", name), Field("description", description))
    return Card(card_id, name, description, fields, None, "agent", "test")


def write_cards(path, cards):
    pq.write_table(pa.Table.from_batches(card_batches(cards), CARDS_SCHEMA), path)
    return path


@fixture
def case_of(build, tmp_path):
    """The query on some of the four cards, with a relevant one."""
    cards = [card(card_id, *text) for card_id, text in TEXTS.items()]
    index, store = build(cards), CardStore(write_cards(tmp_path / "cards.parquet", cards))

    def made(relevant: str, among: str = "", query: str = QUERY) -> Case:
        members = members_of(index, list(among)) if among else whole(index)
        return Case(index, store, "q", query, list(relevant), members)

    return made


def test_signals_come_with_their_posting_lists_idf_and_fields(case_of):
    rows = case_of("a").signals().to_numpy().tolist()
    assert rows == [
        ["convert_word", 1, approx(ONE_OF_4), "description"],
        ["word", 1, approx(ONE_OF_4), "name, description"],
        ["convert", 2, approx(TWO_OF_4), "description"],
    ]
    assert case_of("a").unheld() == "No card of the registry holds these: document, word_document."
    assert (
        case_of("a", query="word").unheld() == "Each of the query's signals is held by some card."
    )


def test_idf_and_posting_lists_are_the_registrys_own(case_of):
    case = case_of("b", among="bcd")
    assert case.signals().to_numpy().tolist() == [
        ["convert", 1, approx(math.log(4 / 2) + 1), "description"]
    ]
    assert case.unheld().endswith("these: document, word, convert_word, word_document.")


def test_the_pool_marks_the_target_and_shows_it_when_it_is_beyond(case_of):
    rows = case_of("b").pool(1).to_numpy().tolist()
    assert rows == [
        [
            "1",
            "a",
            "Word to PDF",
            approx(2 * ONE_OF_4 + TWO_OF_4),
            "convert_word, word, convert",
            "",
        ],
        ["2", "b", "PDF", approx(TWO_OF_4), "convert", "target"],
    ]
    assert case_of("b").pool(2)["card"].tolist() == ["a", "b"]
    assert case_of("ab").pool(2)[""].tolist() == ["target", "relevant"]
    assert case_of("c").pool(1).to_numpy().tolist()[1] == [
        "none",
        "c",
        "Weather",
        0.0,
        "",
        "target",
    ]


def test_why_says_the_rank_and_what_the_target_lacks(case_of):
    told = case_of("b").why(1)
    assert "SSR ranks it 2 of 2 candidates, beyond the budget of K = 1; BM25 ranks it 2." in told
    assert "It holds 1 of the 3 signals of the query that any card holds, which score 1.51." in told
    assert "The card at rank 1 scores 5.34 with signals that the target lacks" in told
    assert told.endswith("lacks: convert_word (1.92), word (1.92).")


def test_why_says_when_the_target_is_found_when_ties_decide_and_when_nothing_is_shared(case_of):
    assert "SSR ranks it 1 of 2 candidates, within the budget of K = 1" in case_of("a").why(1)
    tied = case_of("d", among="bd", query="pdf").why(1)
    assert tied.endswith("scores 1.00, too: 2 cards tie there, and the order of ties decides.")
    none = case_of("c").why(1)
    assert "shares no signal with the query" in none and "BM25 ranks it nowhere" in none


def test_a_signal_beyond_the_cap_of_signals_is_told_apart(build, tmp_path):
    words = " ".join(f"aa{place:02d} aa{place:02d}" for place in range(64))
    cards = [card("x", words, "zebra"), card("y", "zebra", "")]
    index, store = build(cards), CardStore(write_cards(tmp_path / "c.parquet", cards))
    case = Case(index, store, "q", "zebra", ["x"], whole(index))
    assert case.signals()["in the target"].tolist() == [BEYOND_THE_CAP]


CANDIDATES = [Candidate("x", "Weather", "forecast"), Candidate("y", "Word", "convert word")]


@fixture
def selected(tmp_path):
    """The folder of a run of the offline arbiter over three pools, and its settings."""
    llm = Llm(context_window=300)
    long = [card._replace(description="word " * 400) for card in CANDIDATES]
    tasks = [
        Task("q", "convert a word file", 2, "SSR", 2, CANDIDATES),
        Task("q", "convert a word file", 3, "SSR", 2, [long[0], long[1]]),
        Task("q", "convert a word file", 4, "SSR", 2, []),
    ]
    done = arbitrate(tasks, llm, tmp_path / "ledger.jsonl")
    pq.write_table(done.records, tmp_path / "arbitration.parquet")
    pools = [("q", n, "SSR", place, c.id) for n in (2, 3) for place, c in enumerate(CANDIDATES, 1)]
    columns = [list(column) for column in zip(*pools, strict=True)]
    pq.write_table(pa.table(columns, POOLS_SCHEMA), tmp_path / "pools.parquet")
    for n, shown in ((2, CANDIDATES), (3, long)):
        write_cards(tmp_path / f"{n}.parquet", [card(*candidate) for candidate in shown])
    return tmp_path, llm, done.facts["model"]


def call_of(selected, n: int, query: str = "convert a word file"):
    folder, llm, model = selected
    cards = folder / f"{min(n, 3)}.parquet"
    return exchange(folder, cards, query, ("q", n, "SSR"), llm, model, folder / "ledger.jsonl")


def test_an_exchange_is_the_prompt_that_was_asked_and_its_answer(selected):
    made = call_of(selected, 2)
    assert '"convert a word file"' in made.user and "convert word" in made.user
    assert made.answer == '{"selected_index": 2}'
    assert made.row["selected_id"] == "y" and made.row["outcome"] == "ok"


def test_an_exchange_tells_of_a_refused_prompt_and_of_no_call(selected):
    assert call_of(selected, 3).answer == REFUSED
    assert call_of(selected, 4)[:3] == ("", "", NO_CALL)


def test_an_exchange_of_another_prompt_or_a_lost_answer_is_refused(selected):
    with raises(InputError, match="not of one run"):
        call_of(selected, 2, "another request")
    (selected[0] / "ledger.jsonl").unlink()
    with raises(InputError, match="is gone"):
        call_of(selected, 2)


NODES = [
    Node("s1", "agent", "Mail", "", "s1"),
    Node("s1::send", "tool", "send", "", "s1"),
    Node("s2", "agent", "Files", "", "s2"),
    Node("s2::read", "tool", "read", "", "s2"),
]
WEIGHTS = Weights(1.5, 1.0, 60)


def graph_case(relevant, first: int = 3) -> GraphCase:
    """By cosine: send, read, Files, Mail."""
    return GraphCase(AgentGraph(NODES), "send", np.array([0.1, 0.9, 0.5, 0.6]), relevant, first)


def test_nodes_come_with_their_owner_and_what_the_weights_change():
    rows = graph_case(["s2"]).nodes(WEIGHTS, 3).to_numpy().tolist()
    assert rows == [
        [1, "tool", "send", 0.9, "s1", "", approx(1 / 61), 2, "-1"],
        [2, "tool", "read", 0.6, "s2", "relevant", approx(1 / 62), 3, "-1"],
        [3, "agent", "Files", 0.5, "s2", "relevant", approx(1.5 / 63), 1, "+2"],
    ]


def test_agents_stand_side_by_side_with_the_node_that_led_to_each():
    table = graph_case(["s2"]).agents(WEIGHTS, 3)
    assert table["agent at 1:1"].tolist() == ["s1, by tool send", "s2, by tool read (relevant)", ""]
    assert table["agent at 1.5:1"].tolist() == [
        "s2, by its own node (relevant)",
        "s1, by tool send",
        "",
    ]


def test_why_says_where_each_relevant_agent_comes():
    told = graph_case(["s1", "s2"]).why(WEIGHTS, 1)
    assert told.startswith("Of the first 3 nodes 2 are tools and 1 are agents.")
    assert "s1 is agent 1 unweighted and 2 at 1.5:1, beyond the budget of K = 1." in told
    assert "s2 is agent 2 unweighted and 1 at 1.5:1, within the budget of K = 1." in told
    missed = graph_case(["s2"], first=1)
    assert "s2 is missed: no node of it is among them." in missed.why(WEIGHTS, 1)
    assert graph_case(["s2"]).near() and not missed.near()
