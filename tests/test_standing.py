"""Where a card stands for a query: by hand, and for whole rankings against the reference."""

import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from generated import card_of
from pytest import approx, fixture, mark

from agent_discovery.card_store import CardStore
from agent_discovery.cards import card_batches
from agent_discovery.retrieval.near_ids import near_ids
from agent_discovery.retrieval.standing import Explanation, standing

BY_HAND = [
    card_of("forecast", "weather forecast"),
    card_of("mixed", "forecast the", "weather"),
    card_of("station", "weather station"),
    card_of("train", "train tickets"),
    # "weather" is the last of 70 words that each occur once, and so beyond the cap.
    card_of("wordy", " ".join(f"w{number:02}" for number in range(69)) + " weather"),
]
# weather: 3 of 5 cards keep it, forecast: 2, weather_forecast: 1 ("mixed" has forecast_weather).
THREE, TWO, ONE, NONE = (math.log(6 / (1 + df)) + 1 for df in (3, 2, 1, 0))


def stored(cards: list, path: Path) -> CardStore:
    pq.write_table(pa.Table.from_batches(list(card_batches(cards))), path)
    return CardStore(path)


@fixture
def explained(build, tmp_path):
    """The explanation of a card by its id."""
    index, store = build(BY_HAND), stored(BY_HAND, tmp_path / "cards.parquet")

    def call(card_id: str, query: str = "the weather forecast", k: int = 10) -> Explanation:
        return standing(index, store, query, index.card_of(card_id), k)

    return call


def test_the_first_card(explained):
    found = explained("forecast")
    assert (found.cards, found.candidates, found.rank, found.tied, found.found) == (
        5,
        3,
        1,
        0,
        True,
    )
    assert found.score == ONE + TWO + THREE
    assert [(one.signal, one.idf, one.fields) for one in found.evidence] == [
        ("weather_forecast", ONE, ("part0",)),
        ("forecast", TWO, ("part0",)),
        ("weather", THREE, ("part0",)),
    ]
    assert (found.missing, found.above, found.kth) == ((), (), None)


def test_a_card_that_is_cut_off(explained):
    found = explained("station", k=2)
    assert (found.rank, found.found, found.score) == (3, False, THREE)
    assert [(one.signal, one.idf, one.cards, one.in_text) for one in found.missing] == [
        ("weather_forecast", ONE, 1, False),
        ("forecast", TWO, 2, False),
    ]
    first, second = found.above
    assert (first.rank, first.id, first.matched) == (1, "forecast", 3)
    assert [(one.signal, one.idf) for one in first.ahead_by] == [
        ("weather_forecast", ONE),
        ("forecast", TWO),
    ]
    assert (second.id, second.score) == ("mixed", approx(TWO + THREE))
    assert [one.fields for one in second.ahead_by] == [("part0",)]
    assert found.kth == second


def test_the_kth_of_a_card_that_is_found_is_the_last_of_the_pool(explained):
    assert explained("forecast", k=2).kth.id == "mixed"
    assert explained("mixed", k=2).kth.id == "mixed"


def test_no_candidate(explained):
    found = explained("train", k=1)
    assert (found.rank, found.score, found.tied, found.found, found.evidence) == (
        None, 0.0, 0, False, (),
    )  # fmt: skip
    assert [one.signal for one in found.missing] == ["weather_forecast", "forecast", "weather"]
    assert [rival.id for rival in found.above] == ["forecast"]


def test_a_signal_in_the_text_that_the_cap_left_out(explained):
    found = explained("wordy", "weather w00")
    assert [one.signal for one in found.evidence] == ["w00"]
    # No card has weather_w00: it comes last, whatever it would add.
    assert [(one.signal, one.idf, one.cards, one.in_text) for one in found.missing] == [
        ("weather", THREE, 3, True),
        ("weather_w00", NONE, 0, False),
    ]


def test_ties_are_counted_and_ordered_by_id(explained):
    """Both keep "weather" once; "station" is the last of the three that do."""
    found = explained("station", "weather")
    assert (found.rank, found.tied, found.candidates) == (3, 2, 3)
    assert [(rival.id, rival.ahead_by) for rival in found.above] == [
        ("forecast", ()),
        ("mixed", ()),
    ]


@mark.parametrize("query", ["", "the of a", "unheard of"])
def test_a_query_that_nothing_shares(explained, query):
    found = explained("train", query)
    assert (found.candidates, found.rank, found.evidence, found.above) == (0, None, (), ())


def test_rankings_equal_the_reference(generated_world, tmp_path):
    """Each card of a query's ranking, and some that are no candidates."""
    world = generated_world
    store = stored(list(world.cards), tmp_path / "cards.parquet")
    for query in world.queries[:4]:
        hits = world.plain.ssr(query)
        ranking = world.plain.ranked(hits, "paper", len(hits))
        weights = world.plain.weights(query)
        for card in world.cards[::7]:
            found = standing(world.index, store, query, world.index.card_of(card.id), 5)
            assert found.candidates == len(ranking)
            assert found.rank == (ranking.index(card.id) + 1 if card.id in hits else None)
            held = world.plain.explanation(query, card.id)
            assert {one.signal: one.idf for one in found.evidence} == held
            lacked = {one.signal: one.idf for one in found.missing if one.cards}
            assert lacked == {one: idf for one, idf in weights.items() if one not in held}
            above = ranking[: min(5, (found.rank or 10**9) - 1)]
            assert [rival.id for rival in found.above] == above
            for rival in found.above:
                extra = world.plain.explanation(query, rival.id).keys() - held.keys()
                assert {one.signal for one in rival.ahead_by} == extra
            same = [one for one in hits.values() if card.id in hits and one == hits[card.id]]
            assert found.tied == max(0, len(same) - 1)


# --- ids that may have been meant -----------------------------------------------------------------


def test_near_ids(build, monkeypatch):
    index = build([card_of(card_id) for card_id in ("set/printer", "set/printers::a", "rain", "b")])
    assert near_ids(index, "Printer") == ["set/printer", "set/printers::a"]
    assert near_ids(index, "raim") == ["rain"]
    assert near_ids(index, "nothing like it") == []
    monkeypatch.setattr("agent_discovery.retrieval.near_ids.MOST_COMPARED", 3)
    monkeypatch.setattr("agent_discovery.retrieval.near_ids.NEIGHBOURS", 1)
    assert near_ids(index, "raim") == ["rain"]
    assert near_ids(index, "printer") == []  # far from its place in lexical order
    assert near_ids(index, "\udc80") == []
