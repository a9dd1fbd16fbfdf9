"""RQ1, RQ3 and adversarial cards with a real, small model, replayed from its answers."""

import pandas as pd
import pytest
from checkout import ROOT, lay_out, snakemake
from golden import LOCAL_LLM_TABLES

pytestmark = pytest.mark.workflow

LOCAL = "results/local-llm"
MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m-cc324af0"


@pytest.fixture(scope="module")
def local_llm(tmp_path_factory):
    folder = lay_out(tmp_path_factory.mktemp("local_llm"))
    tables = [f"{LOCAL}/{table}" for table in LOCAL_LLM_TABLES]
    ended = snakemake(folder, *tables, "--configfile", "config/local-llm.yaml")
    assert ended.returncode == 0, ended.stdout
    return folder


@pytest.mark.parametrize("table", LOCAL_LLM_TABLES)
def test_the_recorded_model_replays_to_the_golden_table(local_llm, table):
    ours = (local_llm / LOCAL / table).read_text()
    assert ours == (ROOT / "results/golden/local-llm" / table).read_text()


def test_the_recorded_models_table_names_it_with_interval_and_chance(local_llm):
    table = pd.read_csv(local_llm / LOCAL / "rq1/agentbench/table2.csv")
    assert set(table["arbiter"]) == {MODEL}
    assert (table["end_to_end_accuracy_low"] <= table["end_to_end_accuracy"]).all()
    assert table["chance_accuracy"].between(0.09, 0.2).all()


def test_the_recorded_model_selects_end_to_end_for_sixty_queries(local_llm):
    table4 = pd.read_csv(local_llm / LOCAL / "rq3/toolpool/table4.csv")
    assert set(table4["arbiter"]) == {MODEL}
    assert table4[["n", "method"]].to_numpy().tolist() == [
        [1000, "SSR"],
        [1000, "BM25"],
        [5000, "SSR"],
        [5000, "BM25"],
    ]
    assert (table4["queries"] == 60).all() and (table4["k"] == 20).all()
    tests = pd.read_csv(local_llm / LOCAL / "rq3/toolpool/table5.csv")
    assert tests["tests"].tolist() == [2, 2]  # one pair at two sizes: the Holm family


def test_the_recorded_model_chooses_among_adversarial_cards_with_either_prompt(local_llm):
    table = pd.read_csv(local_llm / LOCAL / "robustness/agentbench/choice.csv")
    assert set(table["arbiter"]) == {MODEL} and (table["api_failures"] == 0).all()
    assert set(table["kind"].fillna("none")) == {"none", "control", "injection"}
    catalogs = table[(table["method"] == "Full catalog") & (table["attack"] != "none")]
    assert (catalogs["in_pool"] == 1).all() and (catalogs["calls"] == catalogs["queries"]).all()
    # A full catalog of ten and the adversarial card: a blind pick is one in eleven.
    assert catalogs["chance_of_shown"].round(4).eq(0.0909).all()
