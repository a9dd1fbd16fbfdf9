"""What RQ3 shows its reader: the figures, and the paper's recall beside ours."""

from pathlib import Path

import pandas as pd
import pytest
from test_figures import saved

from agent_discovery.files import write_csv
from agent_discovery.reporting.claims import read_claims
from agent_discovery.reporting.published import with_published
from agent_discovery.reporting.rq3_figures import depth_figure, tokens_figure

CORPUS = "files:my_$x$"
TABLE4 = pd.DataFrame(
    {
        "corpus": CORPUS,
        "n": [100, 100, 100, 5000, 5000, 5000],
        "method": ["Full catalog", "SSR", "BM25"] * 2,
        "k": [None, 20, 20] * 2,
        "queries": 200,
        "candidate_recall": [1.0, 0.9, 0.95] * 2,
        "candidate_recall_low": 0.8,
        "candidate_recall_high": 1.0,
        "mean_input_tokens": [4000.0, 700, 650, 200_000, 900, 800],
    }
)
SIZES = pd.DataFrame({"n": [10, 100, 9288], "mean_input_tokens": [400.0, 4000, 390_000]})
WINDOWS = pd.DataFrame(
    {
        "context_window": [8192, 1_000_000],
        "queries_failing": [200, 0],
        "fails_at_n_median": [201.0, None],
    }
)


def curve(**columns) -> pd.DataFrame:
    table = pd.DataFrame({"k": [5, 20] * 2, "method": ["SSR"] * 2 + ["BM25"] * 2, **columns})
    for measure in ("candidate_recall", "end_to_end_accuracy"):
        if measure in table:
            table[f"{measure}_low"] = table[measure] - 0.1
            table[f"{measure}_high"] = table[measure] + 0.1
    return table.assign(n=5000, queries=200)


SENSITIVITY = curve(candidate_recall=[0.5, 0.6] * 2, end_to_end_accuracy=[0.3, 0.2] * 2)
SIDE = {"candidate_recall": [0.5, 0.6] * 2, "selected": [False, True] * 2}
VALIDATION = pd.concat([curve(**SIDE, side=side) for side in ("validation", "test")])


def test_the_tokens_figure_tells_where_the_full_catalog_fails(tmp_path):
    def draw(table, path):
        tokens_figure(SIZES, table, WINDOWS, path, CORPUS)

    svg = saved(draw, TABLE4, tmp_path / "out")["svg"].decode()
    assert "<!-- 8,192: N = 201 -->" in svg and "<!-- 1,000,000: not reached -->" in svg
    assert "<!-- SSR, K = 20 -->" in svg and f"<!-- {CORPUS} -->" in svg


@pytest.mark.parametrize(
    ("sensitivity", "validation", "told"),
    [
        (SENSITIVITY, VALIDATION, "SSR, validation: K = 20 chosen"),
        (SENSITIVITY, VALIDATION[:0], "no query is left to validate on"),
        # A model that selected at one K only has no curve of accuracy.
        (SENSITIVITY.assign(end_to_end_accuracy=[None, 0.2] * 2), VALIDATION, "SSR, recall"),
        (SENSITIVITY.drop(columns="end_to_end_accuracy"), VALIDATION, "SSR, recall"),
    ],
)
def test_the_budget_figure(tmp_path, sensitivity, validation, told):
    def draw(table, path):
        depth_figure(table, validation, path, CORPUS)

    first = saved(draw, sensitivity, tmp_path / "first")
    assert first == saved(draw, sensitivity, tmp_path / "second")
    svg = first["svg"].decode()
    assert told in svg
    whole = sensitivity.get("end_to_end_accuracy", pd.Series([None])).notna().all()
    assert ("SSR, accuracy" in svg) == whole


def test_published_recall_stands_beside_ours_where_the_paper_states_it():
    _, claims = read_claims(Path(__file__).parents[1] / "expected/ssr.yaml")
    found = with_published(TABLE4, claims, "rq3/{corpus}/table4.csv").set_index(["n", "method"])
    stated = found["published"].dropna().to_dict()
    assert stated == {(5000, "SSR"): 0.95, (5000, "BM25"): 0.97}
    assert found.loc[(5000, "SSR"), "published_on"] == "irds:msmarco-passage/dev/small"
    assert found["candidate_recall"].tolist() == TABLE4["candidate_recall"].tolist()


def test_small_p_values_keep_their_digits(tmp_path):
    table = pd.DataFrame({"p_exact": [5.6843e-14, 0.0625, 1.0, None], "x": [5.6e-14, 1, 1, 1]})
    write_csv(tmp_path / "t.csv", table)
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert lines[1:] == ["5.6843e-14,0.000000", "0.0625,1.000000", "1,1.000000", ",1.000000"]
