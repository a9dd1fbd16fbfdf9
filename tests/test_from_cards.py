"""Registries of Python values, and what the package tells type checkers."""

import inspect
import typing
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files

from corpus_files import json_lines, lay, refusal
from pytest import fixture, mark

import agent_discovery
from agent_discovery import Evidence, Explanation, Hit, InputError, Registry

AGENT = {
    "name": "Office",
    "description": "Paper work",
    "skills": [{"id": "s", "name": "print", "description": "to paper"}],
}
SERVER = {"id": "files", "name": "Files", "tools": [{"name": "read"}, {"name": "write"}]}
PASSAGE = {"id": 7, "text": "Rain in a city"}
CARDS = [AGENT, SERVER, PASSAGE]


@fixture(autouse=True)
def nothing_left(temporary):
    """Every test leaves the folder for temporary files empty."""
    yield
    assert list(temporary.iterdir()) == []


def ids(cards: list, level: str = "auto") -> list[str]:
    return [card.id for card in Registry.from_cards(cards, level)]


def test_every_form_of_card_in_the_order_given():
    assert ids(CARDS) == ["0", "files::read", "files::write", "7"]
    assert ids(CARDS, "agent") == ["0", "files", "7"]
    assert ids(CARDS, "tool") == ["0::print", "files::read", "files::write", "7"]


def test_they_are_what_a_folder_of_them_would_be(tmp_path):
    folder = lay(tmp_path / "cards", {"cards.jsonl": json_lines({"id": "0", **AGENT}, SERVER)})
    assert list(Registry.load(folder)) == list(Registry.from_cards([AGENT, SERVER]))


def test_found_by_hand_and_traced():
    (hit,) = Registry.from_cards(CARDS).search("paper")
    assert isinstance(hit, Hit) and (hit.id, hit.name, hit.kind) == ("0", "Office", "agent")
    assert [one.fields for one in hit.evidence] == [("description", "skills[0].description")]
    assert isinstance(hit.evidence[0], Evidence)
    assert isinstance(Registry.from_cards(CARDS).explain("paper", "7"), Explanation)


def test_any_iterable_and_tuples():
    made = ({"name": f"agent {n}", "tags": ("map", "city")} for n in range(3))
    assert [hit.id for hit in Registry.from_cards(made, "agent").search("city map")] == list("012")


def test_a_list_in_the_list_numbers_its_entries():
    assert ids([[{"name": "a"}, {"name": "b"}]], "agent") == ["0#0", "0#1"]


def endless() -> dict:
    card: dict = {"name": "a"}
    card["tools"] = [card]
    return card


BROKEN = [
    ([], "cards: there is no card in it"),
    ([AGENT, {"description": "d"}], "cards[1]: has no name"),
    ([3], "cards[0]: not a card"),
    ([None], "cards[0]: not a card"),
    (["name"], "cards[0]: not a card"),
    ([{"name": 3}], "cards[0]: name must be text, not int"),
    ([{"name": object()}], "cards[0]: cannot be a card, as it is not JSON"),
    ([{"name": "a", ("b",): 1}], "cards[0]: cannot be a card, as it is not JSON"),
    ([endless()], "cards[0]: cannot be a card, as it is not JSON"),
    ([{"name": "\ud800"}], "cards[0]: a \\u escape is half of a surrogate pair"),
    ([AGENT, AGENT], "cards[1]: the same card is already in cards[0]"),
    ([{"id": "1", "name": "a"}, {"name": "b"}], "cards[1]: id '1' is already in cards[0]"),
    ([[AGENT, {"name": ""}]], "cards[0], entry 2: has no name"),
]


@mark.parametrize(("cards", "why"), BROKEN)
def test_a_broken_card_is_named_by_its_place(cards, why):
    assert refusal(Registry.from_cards, cards).startswith(why)


def test_threads_get_what_one_alone_gets():
    cards = [{"name": f"agent {n}", "description": f"map {n % 7} city"} for n in range(300)]
    registry = Registry.from_cards(cards)
    queries = [f"city map {n % 7} of {n}" for n in range(40)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(registry.search, queries)) == list(map(registry.search, queries))


def test_the_package_is_typed():
    assert files("agent_discovery").joinpath("py.typed").is_file()
    public = [name for name in vars(Registry) if not name.startswith("_")]
    assert {"load", "from_cards", "build", "open", "search", "explain", "queries"} <= set(public)
    for name in public:
        method = inspect.unwrap(getattr(Registry, name))
        told = typing.get_type_hints(method)
        parameters = [one for one in inspect.signature(method).parameters if one != "self"]
        assert set(told) == {*parameters, "return"} and inspect.getdoc(method)


def test_what_the_package_exports():
    for name in agent_discovery.__all__:
        assert getattr(agent_discovery, name) is not None
    assert issubclass(InputError, Exception)
