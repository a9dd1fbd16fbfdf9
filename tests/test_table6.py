"""Table VI: the systems of the paper, what runs here, and the diagrams of Figures 1 and 2."""

from pathlib import Path

import pandas as pd
import yaml
from corpus_files import refusal
from pytest import approx, mark
from test_figures import saved

from agent_discovery.reporting.diagrams import benchmark_figure, retrieval_figure
from agent_discovery.reporting.table6 import (
    PROPERTIES,
    conceptual,
    folder_bytes,
    read_table6,
    running,
    timed,
)
from agent_discovery.retrieval.methods import METHODS

EXPECTED = Path(__file__).parents[1] / "expected/table6.yaml"
# The systems that SSR's discussion names, in its order, typed by hand.
NAMED = ["ToolRet", "ToolScope", "Tool-to-Agent Retrieval", "Agent-as-a-Graph", "ACE-Router"]
NAMED += ["AgentRouter", "Adaptive shortlist depth"]
TABLE3 = pd.DataFrame(
    {
        "corpus": "toy_$x$",
        "method": ["BM25", "SSR"],
        "queries": [7, 7],
        "k": [10, 10],
        "recall@1": [0.1, 0.2],
        "recall@10": [0.5, 0.4],
        "recall@10_low": [0.4, 0.3],
        "recall@10_high": [0.6, 0.5],
    }
)
BASELINES = pd.DataFrame(
    {
        "view": ["direct", "pool", "pool"],
        "method": ["Agent-only", "Agent-only", "SSR"],
        "queries": 95,
        "recall@5": [0.1, 0.6, 0.7],
        "recall@5_low": [0.0, 0.5, 0.6],
        "recall@5_high": [0.2, 0.7, 0.8],
    }
)


def test_the_papers_systems_are_there_with_where_they_are_named():
    table = conceptual(read_table6(EXPECTED)[0])
    names = [name.split(" [")[0] for name in table["system"]]
    assert names == ["SSR", "BM25 pre-selection", *NAMED]
    assert table["says"].str.len().min() > 10 and table["where"].str.len().min() > 2
    assert set(table[PROPERTIES].to_numpy().ravel()) == {"yes", "no", "partly", "not stated"}
    learned = table.set_index("system")["learned"]
    assert set(learned[learned == "yes"].index) == {"ACE-Router [10]", "AgentRouter [36]"}


def test_every_method_of_table_three_has_its_properties():
    methods = [method for kind in read_table6(EXPECTED)[1] for method in kind.methods]
    assert {method.name for method in METHODS.values()} <= set(methods)
    assert len(methods) == len(set(methods))


def test_what_runs_has_the_deepest_recall_and_its_own_index():
    table = running(read_table6(EXPECTED)[1], TABLE3, BASELINES, {"isi": 2048}, "live")
    assert table["method"].tolist() == ["BM25", "SSR", "Agent-only"]
    assert table["corpus"].tolist() == ["toy_$x$", "toy_$x$", "live (pool)"]
    assert table["recall"].tolist() == [0.5, 0.4, 0.6]
    assert table["measure"].tolist() == ["recall@10", "recall@10", "recall@5"]
    assert table["index_bytes"].fillna(-1).tolist() == [-1, 2048, -1]


def test_times_are_those_of_retrieval():
    times = {f"wall_ms_{name}": [1.0, 2.0, 9.0] for name in ("mean", "median", "p95")}
    stages = {"method": ["SSR", "other", "SSR"], "stage": ["retrieval", "retrieval", "llm"]}
    ran = pd.DataFrame({"method": ["BM25", "SSR", "SSR"]})
    found = timed(ran, pd.DataFrame({**stages, **times}))
    assert found.to_dict("list") == {"method": ["SSR"], **{name: [1.0] for name in times}}


def test_an_index_is_its_own_files(tmp_path):
    (tmp_path / "a.bin").write_bytes(b"123")
    (tmp_path / ".snakemake_timestamp").write_bytes(b"12345")
    assert folder_bytes(tmp_path) == approx(3)


@mark.parametrize("change", [{"learned": "maybe"}, {"invented": "yes"}])
def test_a_property_that_is_none_is_refused(tmp_path, change):
    given = yaml.safe_load(EXPECTED.read_text(encoding="utf-8"))
    given["systems"][0] |= change
    path = tmp_path / "table6.yaml"
    path.write_text(yaml.safe_dump(given), encoding="utf-8")
    assert str(path) in refusal(read_table6, path)


COUNTED = ["domains", "skills", "base_cards", "capability_twins", "queries", "agent_cards"]
DRAWN = {
    "retrieval": (
        lambda table, path: retrieval_figure(
            TABLE3,
            pd.DataFrame({"full_scan_scored": [9288], "ssr_mean_scored": [1011.4]}),
            path,
        ),
        ["9,288 cards", "1,011 cards", "K = 10 cards", "toy_$x$"],
    ),
    "benchmark": (
        lambda table, path: benchmark_figure(
            pd.DataFrame(
                {
                    "figure": COUNTED,
                    "value": [24.0, 144, 850, 150, 250, 1000],
                }
            ),
            path,
        ),
        ["24 domains", "144 skills", "850 Agent Cards", "150 cards that", "1,000 Agent Cards"],
    ),
}


@mark.parametrize(("draw", "told"), DRAWN.values(), ids=DRAWN)
def test_the_diagrams_have_the_counts_and_the_same_bytes(tmp_path, draw, told):
    first = saved(draw, None, tmp_path / "first")
    assert saved(draw, None, tmp_path / "second") == first
    assert all(text in first["svg"].decode() for text in told)
