"""RQ1 with a real, small model, replayed from its recorded answers."""

import pandas as pd
import pytest
from checkout import ROOT, lay_out, snakemake

pytestmark = pytest.mark.workflow

LOCAL = "results/local-llm/rq1"


@pytest.fixture(scope="module")
def local_llm(tmp_path_factory):
    folder = lay_out(tmp_path_factory.mktemp("local_llm"))
    ended = snakemake(folder, "rq1", "--configfile", "config/local-llm.yaml")
    assert ended.returncode == 0, ended.stdout
    return folder


@pytest.mark.parametrize("corpus", ["agentbench", "agentbench-paraphrased"])
def test_the_recorded_model_replays_to_the_golden_table(local_llm, corpus):
    ours = (local_llm / LOCAL / corpus / "table2.csv").read_text()
    assert ours == (ROOT / "results/golden/local-llm/rq1" / corpus / "table2.csv").read_text()


def test_the_recorded_models_table_names_it_with_interval_and_chance(local_llm):
    table = pd.read_csv(local_llm / LOCAL / "agentbench/table2.csv")
    assert set(table["arbiter"]) == {"qwen2.5-coder-1.5b-instruct-q4_k_m-cc324af0"}
    assert (table["end_to_end_accuracy_low"] <= table["end_to_end_accuracy"]).all()
    assert table["chance_accuracy"].between(0.09, 0.2).all()
