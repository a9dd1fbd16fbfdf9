"""`agent-discovery explain`: why a card is found, or why not, as lines and as JSON."""

import json

from command import assert_refused
from corpus_files import json_lines, lay
from pytest import fixture, mark

from agent_discovery import Registry

REQUEST = "convert a document to PDF"
CARDS = [
    {"id": "print", "name": "Printer", "description": "Convert any document to PDF."},
    {"id": "scan", "name": "Scanner", "description": "Document."},
    {"id": "copy", "name": "Copier", "description": "Document."},
    {"id": "rain", "name": "Weather", "description": "Rain in a city."},
]


@fixture
def registry(tmp_path):
    return lay(tmp_path / "registry", {"cards.jsonl": json_lines(*CARDS)})


@fixture
def explain(cli, registry):
    return lambda *arguments: cli("explain", "--registry", registry, *arguments)


def test_a_card_that_is_not_among_the_first(explain):
    """N = 4: ln(5 / 2) + 1 = 1.916 for what one card has, ln(5 / 4) + 1 = 1.223 for "document".

    "any" is between "convert" and "document" in the first card, so it lacks that pair as well.
    """
    ended = explain(REQUEST, "scan", "-k", "1")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "scan is number 3 of 3 candidates (4 cards), not among the first 1: score 1.223, which "
        "ties with another card, so that ids decide their order",
        "",
        "what makes up its score:",
        "    1.223 100%  document          description",
        "",
        "what it lacks of the request, and what that would add:",
        "    1.916       convert           1 card has it",
        "    1.916       document_pdf      1 card has it",
        "    1.916       pdf               1 card has it",
        "    2.609       convert_document  no card has it",
        "",
        "the first is print 6.972, 5.749 more",
        "",
        "above it, and what they have that it lacks:",
        "    1. print 6.972: convert 1.92, document_pdf 1.92, pdf 1.92",
    ]


def test_a_card_that_ids_alone_cut_off(explain):
    out = explain(REQUEST, "scan", "-k", "2").out
    assert "number 2 is copy 1.223, a tie, which ids decide" in out
    assert "    2. copy 1.223: a tie, which ids decide" in out


def test_a_card_that_is_found(explain):
    out = explain(REQUEST, "print").out
    assert out.startswith("print is number 1 of 3 candidates (4 cards), among the first 10: score")
    assert "above it" not in out and "the first is" not in out


def test_a_card_that_is_no_candidate(explain):
    ended = explain(REQUEST, "rain", "-k", "1")
    first, *rest = ended.out.splitlines()
    assert ended.code == 0
    assert first == "rain is no candidate: it shares no signal with the request (3 of 4 cards do)"
    assert "the first is print 6.972, 6.972 more" in rest


def test_a_request_of_stopwords(explain):
    ended = explain("what is it about, x?", "rain")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == (
        "rain cannot be found: the request has stopwords and single characters only\n"
    )


def test_json_is_the_explanation_of_python(explain, registry):
    ended = explain(REQUEST, "scan", "-k", "1", "--json")
    told = json.loads(ended.out)
    found = Registry.load(registry).explain(REQUEST, "scan", k=1)
    assert ended.out.count("\n") == 1 and set(told) == set(found._fields)
    assert (told["rank"], told["score"], told["tied"]) == (3, found.score, 1)
    assert told["missing"] == [one._asdict() for one in found.missing]
    assert told["above"][0]["ahead_by"][0]["signal"] == "convert"
    assert told["kth"]["id"] == "print"


@mark.parametrize(
    ("card_id", "why"),
    [
        ("pint", "no card has the id 'pint': like it: 'print'"),
        ("PRINT", "no card has the id 'PRINT': like it: 'print'"),
        ("zzz", "no card has the id 'zzz': take one that a search returns"),
        ("\x1b[2J\u202e", r"no card has the id '\x1b[2J\u202e': take"),
    ],
)
def test_an_unknown_id_is_one_line(explain, card_id, why):
    assert_refused(explain(REQUEST, card_id), why)


def test_k_must_be_positive(explain):
    assert_refused(explain(REQUEST, "scan", "-k", "0"), "k must be at least 1, not 0")


def test_nothing_in_a_card_or_a_request_steers_the_terminal(tmp_path, cli):
    escapes = "\x1b[2J\x07\r \u202eleft\x9b31m"
    cards = [{"id": f"{n}{escapes}", "name": f"document {escapes}" * n} for n in (1, 2)]
    registry = lay(tmp_path / "evil", {"cards.jsonl": json_lines(*cards)})
    ended = cli("explain", "--registry", registry, f"document left {escapes}", cards[0]["id"])
    assert ended.code == 0 and "left" in ended.out
    assert all(line.isprintable() for line in ended.out.splitlines())
