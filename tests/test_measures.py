"""Measures on runs small enough to work out by hand, and by brute force over orders of ties."""

import math
from itertools import chain, permutations, product

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from pytest import approx, mark, raises

from agent_discovery.evaluation.measures import measured, measures_at, per_query, tie_runs


def run_of(ranked: dict[str, list]) -> pd.DataFrame:
    """A run from each query's card ids, best first."""
    rows = [
        (qid, card, rank) for qid, cards in ranked.items() for rank, card in enumerate(cards, 1)
    ]
    return pd.DataFrame(rows, columns=["qid", "id", "rank"])


def judged(grades: dict[str, dict[str, int]]) -> pd.DataFrame:
    """Judgments from each query's card grades."""
    rows = [(qid, card, grade) for qid, cards in grades.items() for card, grade in cards.items()]
    return pd.DataFrame(rows, columns=["qid", "id", "grade"])


def of_one(ranked: list[str], grades: dict[str, int], k: int = 10) -> dict[str, float]:
    """The measures of a single query."""
    return per_query(run_of({"q": ranked}), judged({"q": grades}), ["q"], k).loc["q"].to_dict()


def test_success_counts_any_relevant_card_and_recall_their_share():
    found = of_one(["x", "a", "b", "y"], {"a": 1, "b": 1, "c": 1, "d": 1})
    expected = {"success@1": 0, "success@3": 1, "success@5": 1, "success@10": 1}
    expected |= {"recall@1": 0, "recall@3": 2 / 4, "recall@5": 2 / 4, "recall@10": 2 / 4}
    discounts = [1 / math.log2(rank + 1) for rank in range(1, 5)]
    expected |= {"mrr@10": 1 / 2, "ndcg@10": (discounts[1] + discounts[2]) / sum(discounts)}
    assert found == approx(expected, abs=1e-9)


def test_graded_ndcg_by_hand():
    found = of_one(["one", "none", "three"], {"three": 3, "one": 1, "none": 0, "unfound": 2})
    gained = 1 / math.log2(2) + 3 / math.log2(4)
    ideal = 3 / math.log2(2) + 2 / math.log2(3) + 1 / math.log2(4)
    assert found["ndcg@10"] == approx(gained / ideal, abs=1e-9)


def test_a_negative_grade_counts_as_none():
    ranked = ["spam", "a"]
    negative, zero = (of_one(ranked, {"a": 1, "spam": grade}) for grade in (-2, 0))
    assert negative == zero
    assert negative["mrr@10"] == 1 / 2
    assert negative["ndcg@10"] == approx(1 / math.log2(3), abs=1e-9)


@mark.parametrize("relevant", ["a", "b", "c"])
def test_tied_scores_count_in_the_order_of_their_ranks(relevant):
    """ir_measures would sort tied scores by id, whatever their ranks."""
    run = run_of({"q": sorted("abc", key=lambda card: card != relevant)}).assign(score=1.5)
    found = per_query(run, judged({"q": {relevant: 1}}), ["q"], 3).loc["q"]
    assert found.to_dict() == dict.fromkeys(measures_at(3), 1.0)


def test_the_order_of_rows_is_nothing_to_a_run():
    ranked, grades = ["x", "a", "y", "b"], {"a": 1, "b": 2}
    run = run_of({"q": ranked}).iloc[[3, 1, 0, 2]]
    found = per_query(run, judged({"q": grades}), ["q"], 10).loc["q"].to_dict()
    assert found == of_one(ranked, grades)


def test_a_query_that_returned_nothing_counts_zero():
    grades = judged({"found": {"a": 1}, "empty": {"a": 1}, "not run": {"a": 1}})
    values = per_query(run_of({"found": ["a"]}), grades, ["empty", "found"], 10)
    assert values.index.tolist() == ["empty", "found"]
    assert values.loc["empty"].tolist() == [0.0] * len(measures_at(10))
    assert values.loc["found"].tolist() == [1.0] * len(measures_at(10))


def test_a_run_in_which_no_query_returned_anything():
    values = per_query(run_of({}), judged({"q": {"a": 1}}), ["q"], 3)
    assert values.loc["q"].to_dict() == dict.fromkeys(measures_at(3), 0.0)


def test_a_query_that_is_not_evaluated_is_an_error():
    run = run_of({"q": ["a"], "sample only": ["a"]})
    with raises(ValueError, match="not evaluated: .'sample only'"):
        per_query(run, judged({"q": {"a": 1}}), ["q"], 10)


HOSTILE = ["a\0b", "a\0c", "two words", " ", "tab\tline\n", "'", '"', "q\r", "é\u202e😀", "0", "00"]
HOSTILE += [letter * 10_000 for letter in "xy"] + ["x" * 9_999 + "y", "\0", ""]


def test_any_text_is_an_id():
    """Each id is a query and a card; C strings would end at a NUL, columns at a blank."""
    k = len(HOSTILE)
    run, qrels = run_of(dict.fromkeys(HOSTILE, HOSTILE)), judged({qid: {qid: 1} for qid in HOSTILE})
    values = per_query(run, qrels, HOSTILE, k)
    assert values.index.tolist() == HOSTILE
    for place, qid in enumerate(HOSTILE):
        ranked = [int(other == place) for other in range(k)]
        assert values.loc[qid].to_dict() == approx(plain_measures(ranked, ranked, k))


@mark.parametrize(
    ("k", "cutoffs"),
    [
        (1, [1]),
        (2, [1, 2]),
        (3, [1, 3]),
        (5, [1, 3, 5]),
        (9, [1, 3, 5, 9]),
        (20, [1, 3, 5, 10, 20]),
    ],
)
def test_the_columns_follow_k(k, cutoffs):
    expected = [f"{name}@{cutoff}" for name in ("success", "recall") for cutoff in cutoffs]
    expected += [f"mrr@{k}", f"ndcg@{k}"]
    values = per_query(run_of({"q": ["x", "a"]}), judged({"q": {"a": 1}}), ["q"], k)
    assert values.columns.tolist() == expected
    assert values.loc["q", f"success@{k}"] == (k >= 2)
    assert values.loc["q", f"mrr@{k}"] == (0.5 if k >= 2 else 0)


def plain_measures(ranked: list[int], grades: list[int], k: int) -> dict[str, float]:
    """The measures of a ranked list of grades by their definitions; `grades`: all judged ones."""

    def dcg(gains: list[int]) -> float:
        return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:k], 1))

    relevant = sum(grade > 0 for grade in grades)
    first = next((rank for rank, grade in enumerate(ranked[:k], 1) if grade > 0), math.inf)
    values = {f"mrr@{k}": 1 / first, f"ndcg@{k}": dcg(ranked) / dcg(sorted(grades)[::-1])}
    for cutoff in {1, 3, 5, 10, k}:
        if cutoff <= k:
            hits = sum(grade > 0 for grade in ranked[:cutoff])
            values |= {f"success@{cutoff}": float(hits > 0), f"recall@{cutoff}": hits / relevant}
    return values


def all_orders(groups: list[list[int]]) -> list[list[int]]:
    """Every ranking that some order of the cards within each group gives."""
    within = product(*(set(permutations(group)) for group in groups))
    return [list(chain.from_iterable(order)) for order in within]


def tied_world(groups: list[list[int]]) -> tuple[list[list[str]], dict[str, int], pd.DataFrame]:
    """Groups of card ids, their grades, and `ties` as retrieval gives them (relevant cards)."""
    ids, grades, ties, above = [], {}, [], 0
    for number, group in enumerate(groups):
        ids.append([f"card{number}{place}" for place in range(len(group))])
        grades |= dict(zip(ids[-1], group, strict=True))
        ties += [("q", card, above, len(group)) for card in ids[-1] if grades[card] > 0]
        above += len(group)
    return ids, grades, pd.DataFrame(ties, columns=["qid", "id", "above", "tied"])


tie_groups = (
    st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=4), min_size=1, max_size=4)
    .filter(lambda groups: sum(map(len, groups)) <= 7)
    .filter(lambda groups: any(map(any, groups)))
)


@given(tie_groups, st.integers(1, 7), st.lists(st.integers(1, 2), max_size=2), st.randoms())
def test_bounds_are_those_over_all_orders_of_ties(groups, k, never_scored, rng):
    ids, grades, ties = tied_world(groups)
    grades |= {f"never{place}": grade for place, grade in enumerate(never_scored)}
    qrels, judgments = judged({"q": grades}), list(grades.values())
    every = [plain_measures(order, judgments, k) for order in all_orders(groups)]
    shuffled = [card for group in ids for card in rng.sample(group, len(group))]
    runs = [run_of({"q": shuffled[:k]}), *tie_runs(ties, qrels, k)]
    ranked, best, worst = (per_query(run, qrels, ["q"], k).loc["q"].to_dict() for run in runs)
    assert ranked == approx(plain_measures([grades[card] for card in shuffled], judgments, k))
    assert best == approx({name: max(values[name] for values in every) for name in ranked})
    assert worst == approx({name: min(values[name] for values in every) for name in ranked})
    assert all(worst[name] <= ranked[name] <= best[name] for name in ranked)


def test_measured_puts_ranked_worst_and_best_side_by_side():
    """One card above; then a tie of three that holds the relevant one, ranked in the middle."""
    columns = {"qid": ["q", "nothing"], "candidates": [4, 0]}
    table = measured(
        run=run_of({"q": ["top", "x", "a"]}),
        candidates=pd.DataFrame(columns),
        ties=pd.DataFrame({"qid": ["q"], "id": ["a"], "above": [1], "tied": [3]}),
        qrels=judged({"q": {"a": 1}, "nothing": {"a": 1}}),
        k=3,
    )
    names = list(measures_at(3))
    assert table.columns.tolist() == [
        *columns,
        *names,
        *(f"{name}_worst" for name in names),
        *(f"{name}_best" for name in names),
    ]
    assert_frame_equal(table[list(columns)], pd.DataFrame(columns))
    mrr = table[["mrr@3_worst", "mrr@3", "mrr@3_best"]].to_numpy().tolist()
    assert mrr == [approx([0, 1 / 3, 1 / 2]), [0, 0, 0]]
