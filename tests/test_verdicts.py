"""Verdicts: what each claim needs, finds and is called."""

import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
from claim_examples import FIGURE, REAL, SHAPE
from corpus_files import refusal
from pytest import approx, fixture, mark

from agent_discovery.reporting.claims import Claim
from agent_discovery.reporting.verdict_text import shown, to_text
from agent_discovery.reporting.verdicts import Ran, failures, told, verdicts


@fixture
def results(tmp_path):
    """Write table t.csv of the corpus in folder `toy`; gives the results' folder."""

    def written(content: str | dict[str, list]) -> Path:
        folder = tmp_path / "rq2" / "toy"
        folder.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else pd.DataFrame(content).to_csv(index=False)
        (folder / "t.csv").write_text(text, encoding="utf-8")
        return tmp_path

    return written


def ran_on(corpus: str, real: bool = True, k: int = 10) -> dict[str, Ran]:
    return {"rq2": Ran(corpus, "toy", real, {"k": k})}


def verdict(claim: dict, results: Path, runs: dict[str, Ran]) -> dict:
    return verdicts("SSR", [Claim.model_validate(claim)], runs, results).loc[0].to_dict()


def ssr(value: float | str) -> dict[str, list]:
    return {"method": ["BM25", "SSR"], "success@10": [0.9, value]}


@mark.parametrize(
    ("ours", "expected"),
    [
        (0.3378, "reproduced"),
        (0.33785, "reproduced"),
        (0.33775, "reproduced"),
        (0.337851, "differs"),
        (0.337749, "differs"),
        (0.0, "differs"),
    ],
)
def test_a_figure_is_reproduced_up_to_its_tolerance(results, ours, expected):
    row = verdict(FIGURE, results(ssr(ours)), ran_on(REAL))
    assert (row["verdict"], row["ours"], row["published"]) == (expected, ours, 0.3378)
    assert row["ought"]


@mark.parametrize(
    ("value", "tolerance", "ours", "expected"),
    [
        (20, 0, 20, "reproduced"),
        (20, 0, 19, "differs"),
        (20, 0, 21, "differs"),
        (0.056, 0.0005, 0.0555, "reproduced"),
        (0.968, 0.0005, 0.9685, "reproduced"),
    ],
)
def test_the_edge_of_a_tolerance(results, value, tolerance, ours, expected):
    """Zero wants the value itself; floating point puts 0.9685 - 0.968 above 0.0005."""
    claim = {**FIGURE, "value": value, "tolerance": tolerance}
    assert verdict(claim, results(ssr(ours)), ran_on(REAL))["verdict"] == expected


@mark.parametrize("made", ["calibrated", "by construction"])
def test_what_agrees_because_it_was_made_to_is_never_reproduced(results, made):
    claim = {**FIGURE, "class": made}
    row = verdict(claim, results(ssr(0.3378)), ran_on(REAL))
    assert (row["verdict"], row["note"], row["ought"]) == (made, "", False)
    row = verdict(claim, results(ssr(0.9)), ran_on(REAL))
    assert (row["verdict"], row["note"], row["ought"]) == (made, "off by +0.5622 (+166.4%)", False)


def test_a_time_is_never_a_reason_to_fail(results):
    row = verdict({**FIGURE, "measured": True}, results(ssr(0.9)), ran_on(REAL))
    assert (row["verdict"], row["ought"], row["measured"]) == ("differs", False, True)
    assert "depends on the machine" in row["note"]


@mark.parametrize(("stand_in", "made"), [(True, "stand-in"), (False, "other model")])
def test_what_another_arbiter_decided_is_marked(results, stand_in, made):
    claim = {**FIGURE, "needs": {**FIGURE["needs"], "arbiter": "gpt-4o-mini"}}
    settings = {"k": 10, "arbiter": "a-model"}
    ran = {"rq2": replace(ran_on(REAL)["rq2"], settings=settings, stand_in=stand_in)}
    row = verdict(claim, results(ssr(0.3378)), ran)
    assert (row["verdict"], row["ours"], row["ought"]) == (made, 0.3378, False)
    assert row["note"] == "made with a-model"
    # Another corpus too: then nothing is comparable.
    elsewhere = {"rq2": replace(ran["rq2"], corpus="toolpool")}
    assert verdict(claim, results(ssr(0.3378)), elsewhere)["verdict"] == "not run"


def test_a_known_reason_is_told_and_is_no_failure(results):
    claim = {**FIGURE, "differs_because": "ties"}
    row = verdict(claim, results(ssr(0.9)), ran_on(REAL))
    assert (row["verdict"], row["ought"], row["note"]) == (
        "differs",
        False,
        "off by +0.5622 (+166.4%); ties",
    )
    assert verdict(claim, results(ssr(0.3378)), ran_on(REAL))["note"] == ""


@mark.parametrize(
    ("runs", "note"),
    [
        ({}, f"needs rq2, k 10, corpus {REAL}"),
        (ran_on("toolpool"), f"needs corpus {REAL}"),
        (ran_on(REAL, k=5), "needs k 10"),
        (ran_on("toolpool", k=5), f"needs k 10, corpus {REAL}"),
        (ran_on(REAL, real=False), "needs the real collection (what ran under its name is not)"),
    ],
)
def test_not_run_names_what_it_needs(tmp_path, runs, note):
    """No table is looked for: there is none."""
    row = verdict(FIGURE, tmp_path, runs)
    assert (row["verdict"], row["note"], row["ought"]) == ("not run", note, False)
    assert row["ours"] is None and row["published"] == 0.3378


def test_a_size_that_did_not_run_is_needed(results):
    rows = {"row": {"method": "SSR", "n": 5000}, "over": {"method": "BM25", "n": 100}}
    claim = {**SHAPE, "ours": {**SHAPE["ours"], **rows, "as": "increase"}}
    runs = {"rq2": Ran("toolpool", "toy", True, {"sizes": [100, 1000]})}
    row = verdict(claim, results(ssr(1)), runs)
    assert (row["verdict"], row["note"]) == ("not run", "needs N = 5000")


@mark.parametrize(
    ("holds", "ours", "expected"),
    [
        ("positive", 0.001, "reproduced"),
        ("positive", 0.0, "differs"),
        ("positive", -0.001, "differs"),
        ("equal", 1.0, "reproduced"),
        ("equal", 0.995, "differs"),
    ],
)
@mark.parametrize(("corpus", "ought"), [("toolpool", True), ("files:mine", False)])
def test_shapes_are_asked_of_any_corpus(results, holds, ours, expected, corpus, ought):
    claim = {**SHAPE, "holds": holds, "value": 1, "tolerance": 0}
    row = verdict(claim, results(ssr(ours)), ran_on(corpus))
    assert (row["verdict"], row["ought"]) == (expected, ought)
    assert row["published"] == 0.05


def test_generated_text_under_a_collections_name_ought_nothing_and_is_named(results):
    row = verdict({**SHAPE, "ought_on": [REAL]}, results(ssr(-1)), ran_on(REAL, real=False))
    assert (row["verdict"], row["ought"]) == ("differs", False)
    assert row["note"] == "on generated text, whose effectiveness means nothing"


def test_a_shape_may_be_asked_of_every_corpus(results):
    row = verdict({**SHAPE, "ought_on": "any"}, results(ssr(-1)), ran_on("files:mine"))
    assert (row["verdict"], row["ought"]) == ("differs", True)


@mark.parametrize(("how", "expected"), [("increase", -0.75), ("reduction", 0.75), ("speedup", 4.0)])
def test_two_rows_compared(results, how, expected):
    pair = {**FIGURE["ours"], "over": {"method": "BM25"}, "as": how}
    row = verdict({**FIGURE, "ours": pair}, results(ssr(0.225)), ran_on(REAL))
    assert row["ours"] == approx(expected)
    assert row["low"] is None and row["high"] is None


@mark.parametrize("rows", [{"method": "SSR", "n": 5000}, {"n": 5000, "selected": True}])
def test_a_row_may_be_named_by_numbers_and_flags(results, rows):
    table = {"method": ["SSR", "SSR"], "n": [100, 5000], "selected": [False, True]}
    claim = {**FIGURE, "ours": {**FIGURE["ours"], "row": rows}}
    row = verdict(claim, results(table | {"success@10": [0.1, 0.2]}), ran_on(REAL))
    assert row["ours"] == 0.2


TABLE = "method,success@10\nSSR,0.5\nBM25,0.4\n"


@mark.parametrize(
    ("table", "why"),
    [
        (None, "t.csv is not there: run rq2 first"),
        ("", "t.csv holds no table"),
        ('method,success@10\n"SSR,0.5\n', "t.csv holds no table"),
        ("name,success@10\nSSR,0.5\n", "has no column 'method'"),
        ("method,success@5\nSSR,0.5\n", "has no value in column 'success@10'"),
        ("method,success@10\nSSR,\nBM25,0.4\n", "has no value in column 'success@10'"),
        ("method,success@10\nSSR,soon\n", "has no value in column 'success@10'"),
        ("method,success@10\nSSR,inf\n", "has no value in column 'success@10'"),
        ("method,success@10\nBM25,0.4\n", "has 0 rows with"),
        ("method,success@10\n", "has 0 rows with"),
        (TABLE + "SSR,0.5\n", "has 2 rows with"),
    ],
)
@mark.parametrize("claim", [FIGURE, SHAPE], ids=["figure", "shape"])
def test_what_is_missing_is_an_error_and_never_a_zero(results, tmp_path, table, why, claim):
    folder = tmp_path if table is None else results(table)
    message = refusal(verdict, claim, folder, ran_on(REAL))
    assert message.startswith(f"claim {claim['id']}: ") and why in message


@mark.parametrize("table", ["SSR,0\nBM25,0.4", "SSR,0.5\nBM25,0"])
def test_a_ratio_has_no_zero(results, table):
    pair = {**FIGURE["ours"], "over": {"method": "BM25"}, "as": "speedup"}
    folder = results(f"method,success@10\n{table}\n")
    message = refusal(verdict, {**FIGURE, "ours": pair}, folder, ran_on(REAL))
    assert message.startswith("claim figure: ") and "zero" in message


def judged(results) -> pd.DataFrame:
    """One of each: a difference that ought not be, one that may be, a success, and one not run."""
    claims = [
        {**FIGURE, "id": "wrong", "says": "a wrong figure", "value": 8841823},
        {**FIGURE, "id": "slow", "says": "a time", "measured": True},
        {**SHAPE, "id": "right", "says": "a right shape", "ought_on": "any"},
        {**FIGURE, "id": "later", "says": "a later figure", "needs": {"rq": "rq3"}},
    ]
    table = results({**ssr(0.25), "success@10_low": [0, 0.2], "success@10_high": [1, 0.3]})
    return verdicts("SSR", [Claim.model_validate(c) for c in claims], ran_on(REAL), table)


def test_only_what_ought_to_hold_fails(results, tmp_path):
    table = judged(results)
    assert failures(table)["id"].tolist() == ["wrong"]
    table.to_csv(tmp_path / "verdicts.csv", index=False)
    assert failures(pd.read_csv(tmp_path / "verdicts.csv"))["id"].tolist() == ["wrong"]
    assert failures(table[table["id"] != "wrong"]).empty


def test_told_has_each_claim_once_and_the_counts(results, tmp_path):
    table = judged(results)
    table.to_csv(tmp_path / "verdicts.csv", index=False)
    text = told(table)
    assert told(pd.read_csv(tmp_path / "verdicts.csv")) == text
    *lines, last = text.split("\n")
    assert lines == [
        "differs         SSR, Table III: a wrong figure "
        "(published 8,841,823, ours 0.25 [0.2000, 0.3000], off by -8.84182e+06 (-100.0%))",
        "differs         SSR, Table III: a time (published 0.3378, ours 0.25 [0.2000, 0.3000], "
        "a time: it depends on the machine; off by -0.0878 (-26.0%))",
        "reproduced      SSR, Table III: a right shape "
        "(published 0.05, ours 0.25 [0.2000, 0.3000])",
        "not run         SSR, Table III: a later figure (published 0.3378, needs rq3)",
    ]
    assert last == ("4 claims: 2 differs, 1 reproduced, 1 not run; 1 that ought to hold and do not")


def test_a_lead_is_over_the_best_of_the_others(results):
    table = {"method": ["a", "a", "b"], "weights": ["1:1", "2:1", "2:1"], "r": [0.4, 0.5, 0.9]}
    ours = {"table": "rq2/{corpus}/t.csv", "row": {"method": "a", "weights": "2:1"}, "column": "r"}
    claim = {**SHAPE, "ours": {**ours, "over": {"method": "a"}, "as": "lead"}}
    row = verdict(claim, results(table), ran_on("toolpool"))
    assert (row["verdict"], row["ours"]) == ("reproduced", approx(0.1))
    claim["ours"] = {**claim["ours"], "row": {"method": "a", "weights": "1:1"}}
    assert verdict(claim, results(table), ran_on("toolpool"))["ours"] == approx(-0.1)


def shown_row(results, claim: dict, ran: dict, value: float = 0.3378) -> dict:
    claims = [Claim.model_validate(claim)]
    return shown(verdicts("SSR", claims, ran, results(ssr(value))), claims).loc[0].to_dict()


@mark.parametrize(
    ("column", "how", "value", "tolerance", "published", "ours"),
    [
        ("success@10", None, 0.3378, 0.00005, "0.3378", "0.5000"),
        ("success@10", None, 0.95, 0.0005, "0.950", "0.500"),
        ("mean_input_tokens", None, 767, 0.5, "767 tokens", "0 tokens"),
        ("mean_cost_usd", None, 0.000119, 5e-7, "$0.000119", "$0.500000"),
        ("wall_ms_mean", None, 941.5, 0.05, "941.5 ms", "0.5 ms"),
        ("k", None, 20, 0, "20", "0"),
        ("success@10", "increase", 0.0241, 0.00005, "+2.41%", "-50.00%"),
        ("success@10", "reduction", 0.988, 0.0005, "98.8%", "50.0%"),
        ("success@10", "speedup", 74.2, 0.05, "74.2 times", "2.0 times"),
    ],
)
def test_figures_are_shown_with_the_published_digits_and_their_unit(
    results, column, how, value, tolerance, published, ours
):
    table = {"method": ["BM25", "SSR"], column: [1.0, 0.5]}
    over = {"over": {"method": "BM25"}, "as": how} if how else {}
    place = {**FIGURE["ours"], "column": column, **over}
    claim = {**FIGURE, "value": value, "tolerance": tolerance, "ours": place}
    claims = [Claim.model_validate(claim)]
    row = shown(verdicts("SSR", claims, ran_on(REAL), results(table)), claims).loc[0]
    assert (row["published"], row["ours"]) == (published, ours)


def test_not_run_names_the_command(results):
    row = shown_row(results, FIGURE, ran_on("toolpool"))
    expected = f"needs the collection {REAL} (snakemake rq2 --configfile config/paper.yaml)"
    assert (row["note"], row["ours"]) == (expected, "–")


@mark.parametrize(
    ("value", "note"), [(0.33781, "less than"), (0.3, "-11%"), (0.35, "+3.6%"), (0.3378, "")]
)
def test_how_far_apart_is_told_in_percent(results, value, note):
    claim = {**FIGURE, "tolerance": 0.000001}
    assert shown_row(results, claim, ran_on(REAL), value)["note"].startswith(note)


def test_readings_are_shown_after_their_claim(results):
    reading = {**SHAPE, "of": "figure", "id": "reading"}
    claims = [Claim.model_validate(claim) for claim in (FIGURE, {**SHAPE}, reading)]
    table = verdicts("SSR", claims, ran_on(REAL), results(ssr(0.3378)))
    assert shown(table, claims)["id"].tolist() == ["figure", "reading", "shape"]
    assert "| → SSR, Recall@10 |" in re.sub(" +", " ", to_text(table, claims))
