"""RQ3's workflow on a small set: refused prompts, replay, one core, its verdicts."""

import shutil

import pandas as pd
import pytest
from checkout import deterministic_files, error_lines, lay_out, snakemake

pytestmark = pytest.mark.workflow

SIZES = "sizes: [20, 100], sample_size: 12, validation_size: 30, full_catalog_up_to: 100"
DEPTHS = "depths: [5, 20]"
SMALL = ["corpus=livemcpbench", f"rq3={{{SIZES}, {DEPTHS}}}"]
# A full catalog of 100 tools does not fit, a pool of 20 does.
WINDOW = "context_window: 3500"
FOLDER = "results/default/rq3/livemcpbench"


def run(folder, *arguments, cores="2", llm=WINDOW, **environment):
    config = [*SMALL, f"llm={{{llm}}}"]
    return snakemake(
        folder, "rq3", *arguments, "--cores", cores, "--config", *config, **environment
    )


@pytest.fixture(scope="module")
def offline(tmp_path_factory):
    folder = lay_out(tmp_path_factory.mktemp("offline"))
    ended = run(folder)
    assert ended.returncode == 0, ended.stdout
    return folder


@pytest.fixture(scope="module")
def table4(offline):
    return pd.read_csv(offline / FOLDER / "table4.csv").set_index(["n", "method"])


def test_prompts_beyond_the_context_window_are_counted_wrong(table4):
    failed = table4.loc[(100, "Full catalog")]
    assert failed["api_success_rate"] == 0 and failed["end_to_end_accuracy"] == 0
    assert failed["estimated_tokens"] == 1 and failed["mean_input_tokens"] > 3000
    assert failed["mean_cost_usd"] == 0 and pd.isna(failed["selection_accuracy"])
    answered = table4.drop(index=(100, "Full catalog"))
    assert (answered["api_success_rate"] == 1).all()
    assert (answered["estimated_tokens"] == 0).all()


def test_no_failure_is_in_a_latency_of_success(offline):
    times = pd.read_csv(offline / FOLDER / "measured/latency.csv")
    failed = times[(times["n"] == 100) & (times["method"] == "Full catalog")]
    assert failed["stage"].tolist() == ["failure"]
    assert failed["queries"].tolist() == [12]
    others = times.drop(index=failed.index)
    assert "failure" not in set(others["stage"])
    assert {"retrieval", "prompt", "llm", "end_to_end"} == set(others["stage"])


def test_calls_fail_with_the_providers_context_error(offline):
    recorded = (offline / FOLDER / "measured/ledger.jsonl").read_text()
    assert recorded.count("context_length_exceeded") == 12


def test_the_tables_say_where_prompts_fail(offline):
    windows = pd.read_csv(offline / FOLDER / "context_windows.csv").set_index("context_window")
    assert windows.loc[8192, "fails_at_n_smallest"] > 20
    assert windows.loc[1_000_000, "queries_failing"] == 0


def test_one_core_and_replay_give_the_same_bytes(offline, tmp_path):
    one = lay_out(tmp_path / "one")
    assert run(one, cores="1", PYTHONHASHSEED="7").returncode == 0
    expected = deterministic_files(offline / "results")
    assert deterministic_files(one / "results") == expected

    replayed = lay_out(tmp_path / "replayed")
    ledger = replayed / FOLDER / "measured/ledger.jsonl"
    ledger.parent.mkdir(parents=True)
    shutil.copyfile(offline / FOLDER / "measured/ledger.jsonl", ledger)
    ended = run(replayed, llm=f"{WINDOW}, arbiter: replay")
    assert ended.returncode == 0, ended.stdout
    found = deterministic_files(replayed / "results")
    changed = {name for name in expected if found[name] != expected[name]}
    assert {name.rpartition("/")[2] for name in changed} <= {"provenance.json"}


def test_a_second_run_does_nothing(offline):
    ended = run(offline)
    assert ended.returncode == 0 and "Nothing to be done" in ended.stdout


def test_sizes_beyond_the_collection_are_one_line(tmp_path):
    ended = snakemake(lay_out(tmp_path), "rq3", "--config", "corpus=mcpproxy_golden")
    assert ended.returncode == 2
    [line] = set(error_lines(ended.stdout))
    assert "rq3.sizes: a registry of 5,000 cards cannot be made of" in line


def test_check_makes_what_it_needs(offline, tmp_path):
    """From a fresh folder, where no research question has run."""
    ended = snakemake(lay_out(tmp_path), "check", "--dry-run")
    assert "rq1_latency" in ended.stdout and "rq2_provenance" not in ended.stdout
