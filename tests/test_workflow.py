"""The workflow on real input: the default profile whole, twice, and once more on one core."""

import json
import re
import shutil
import subprocess
import sys

import pandas as pd
import pytest
from browser import CHROMIUM, look
from checkout import ROOT, deterministic_files, lay_out, snakemake
from golden import TABLES
from independent_graph import OF_GRAPH, OF_LEXICAL

from agent_discovery.notebooks.queries import SelectedQueries
from agent_discovery.notebooks.view import Results
from agent_discovery.reporting.page.contents import SECTIONS
from agent_discovery.reporting.page.findings import HEADLINES, UNSAID

pytestmark = pytest.mark.workflow

# An independent plain computation's values on toolpool: (success@10, MRR@10).
INDEPENDENT = {
    "SSR": (0.4114, 0.2895),
    "BM25": (0.4474, 0.3251),
    "Structural Overlap + ISI": (0.3665, 0.2564),
}
FIGURES = sum(len(section.figures) for section in SECTIONS)
METHODS = ["TF-IDF", "BM25", "Structural Overlap + ISI", "Structural + IDF (full scan)", "SSR"]
# Logs would hide the progress bars, and one environment serves all rules (environment.yml).
ACCEPTED_LINTS = {
    "No log directive defined",
    "Specify a conda environment or container for each rule.",
}


@pytest.fixture(scope="module")
def default_run(tmp_path_factory):
    folder = lay_out(tmp_path_factory.mktemp("two_cores"))
    ended = snakemake(folder, "reproduce-all", "--cores", "2")
    assert ended.returncode == 0, ended.stdout
    return folder


@pytest.fixture(scope="module")
def notebooks(default_run):
    """The pages of the notebooks by name, executed beside the default run's tables."""
    ended = snakemake(default_run, "notebooks", "--cores", "2")
    assert ended.returncode == 0, ended.stdout
    folder = default_run / "results/default/notebooks"
    return {path.stem: path for path in sorted(folder.rglob("*.html"))}


@pytest.fixture(scope="module")
def table3(default_run):
    return pd.read_csv(default_run / "results/default/rq2/toolpool/table3.csv").set_index("method")


def test_dry_run_names_the_jobs(tmp_path):
    ended = snakemake(lay_out(tmp_path), "reproduce-all", "--dry-run")
    assert ended.returncode == 0
    assert "retrieve" in ended.stdout and not (tmp_path / "results").exists()


def test_lint_finds_nothing_else(tmp_path):
    ended = snakemake(lay_out(tmp_path), "--lint")
    found = {line.strip(" *").rstrip(":") for line in ended.stdout.split("\n") if "    * " in line}
    assert found == ACCEPTED_LINTS


def test_table3_has_the_five_methods_in_the_papers_order(table3):
    assert table3.index.tolist() == METHODS
    assert table3["queries"].tolist() == [6636, 6636, 6636, 200, 6636]


@pytest.mark.parametrize("method", INDEPENDENT)
def test_table3_agrees_with_an_independent_computation(table3, method):
    ours = table3.loc[method, ["success@10", "mrr@10"]]
    assert ours.tolist() == pytest.approx(INDEPENDENT[method], abs=0.001)


def test_full_scan_returns_what_ssr_returns(default_run):
    row = pd.read_csv(default_run / "results/default/rq2/toolpool/equivalence.csv").iloc[0]
    assert (row["queries"], row["identical"], row["full_scan_scored"]) == (200, 200, 9288)


def test_full_catalogs_of_5000_cards_fail_and_are_counted_wrong(default_run):
    rq3 = default_run / "results/default/rq3/toolpool"
    calls = pd.read_parquet(rq3 / "arbitration.parquet")
    failed = calls[(calls["n"] == 5000) & (calls["method"] == "Full catalog")]
    assert len(failed) == 200 and set(failed["outcome"]) == {"api_failure"}
    assert set(calls["outcome"].drop(failed.index)) <= {"ok", "no_candidates"}
    times = pd.read_parquet(rq3 / "measured/arbitration.parquet")
    stages = times[(times["n"] == 5000) & (times["method"] == "Full catalog")]["stage"]
    assert set(stages) == {"failure"}
    recorded = (rq3 / "measured/ledger.jsonl").read_text()
    assert recorded.count("context_length_exceeded") == 200


@pytest.mark.parametrize("table", TABLES)
def test_golden_tables(default_run, table):
    ours = (default_run / "results/default" / table).read_text()
    assert ours == (ROOT / "results/golden" / table).read_text()


def test_the_report_shows_all_that_ran(default_run):
    """What did not run is told only of a real model's answers, whose tables are not laid out."""
    text = (default_run / "results/default/report/report.html").read_text(encoding="utf-8")
    assert text.count("Not run here.") == 1 and ": not run here." not in text
    assert text.count("<figure>") == text.count("The table behind this figure") == FIGURES
    assert text.count("<strong>") >= len(HEADLINES) + len(UNSAID)


def test_the_report_and_check_agree(default_run):
    text = (default_run / "results/default/report/report.html").read_text(encoding="utf-8")
    verdicts = default_run / "results/default/verdicts"
    every = pd.concat([pd.read_csv(path) for path in sorted(verdicts.rglob("*.csv"))])
    shown = dict(re.findall(r'<tr id="claim-([\w-]+)"[^>]*data-verdict="([^"]*)"', text))
    assert shown == dict(zip(every["id"], every["verdict"], strict=True))


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_the_report_in_a_browser(default_run, tmp_path):
    report = default_run / "results/default/report/report.html"
    seen = look(report, tmp_path / "browser", 390)
    assert (seen.requests, seen.console) == ([], [])
    assert seen.facts["width"] <= 390 and seen.facts["images"] == FIGURES
    for fault in ("wide", "without_alt", "broken", "faint", "dead_links"):
        assert seen.facts[fault] == []


def test_the_graph_is_as_an_independent_sketch_found_it(default_run):
    """Within a hundredth."""
    results = default_run / "results/default/graph/livemcpbench"
    encoders = pd.read_csv(results / "encoders.csv").set_index(["encoder", "method", "view"])
    weights = pd.read_csv(results / "weights.csv")
    weights = weights[weights["form"] == "Type-specific wRRF"]
    weights = weights.set_index(["encoder", "weights", "view"])
    for (encoder, method, view, measure), value in OF_GRAPH.items():
        ratio = method.split()[-1] if method.startswith("Type-specific") else None
        row = (
            weights.loc[(encoder, ratio, view)] if ratio else encoders.loc[(encoder, method, view)]
        )
        assert row[measure] == pytest.approx(value, abs=0.01), (encoder, method, view, measure)
    lexical = pd.read_csv(results / "baselines.csv").set_index(["method", "view"])
    for (method, view), value in OF_LEXICAL.items():
        assert lexical.loc[(method, view), "recall@5"] == pytest.approx(value, abs=0.01)
    assert {name for _, name in lexical.index} >= {"direct", "pool", "union", "route"}


def test_second_run_does_nothing_and_says_so(default_run):
    ended = snakemake(default_run, "reproduce-all", "--cores", "2")
    assert ended.returncode == 0
    assert "Nothing to be done" in ended.stdout


def test_check_prints_each_verdict_and_succeeds(default_run):
    ended = snakemake(default_run, "check", "--cores", "2")
    assert ended.returncode == 0, ended.stdout
    assert "BM25 is above SSR in MRR@10" in ended.stdout
    assert "0 that ought to hold and do not" in ended.stdout


def test_check_fails_when_a_claim_that_ought_to_hold_does_not(default_run, tmp_path):
    folder = lay_out(tmp_path)
    claims = (folder / "expected/ssr.yaml").read_text()
    (folder / "expected/ssr.yaml").write_text(
        claims.replace("value: 1.0\n    tolerance: 0\n", "value: 0.5\n    tolerance: 0\n")
    )
    told = subprocess.run([sys.executable, "-m", "agent_discovery.shipped"], cwd=folder)
    assert told.returncode == 0
    shutil.copytree(default_run / "results", folder / "results")
    ended = snakemake(folder, "check", "--cores", "2", "--rerun-triggers", "mtime")
    assert ended.returncode == 1
    assert "1 that ought to hold and do not" in ended.stdout


def test_notebooks_show_the_run_and_tell_why_a_target_was_missed(notebooks, table3):
    assert list(notebooks) == ["graph", "rq1", "rq2", "rq3"]
    pages = {name: path.read_text(encoding="utf-8") for name, path in notebooks.items()}
    assert f"{table3.loc['SSR', 'success@10']:.3f}" in pages["rq2"]
    assert "beyond the budget of K = 10; BM25 ranks it" in pages["rq2"]
    assert "shares no signal with the query" in pages["rq1"]
    assert "beyond the budget of K = 20" in pages["rq3"]
    assert "unweighted and" in pages["graph"]
    assert all('<pre>{"selected_index": ' in pages[name] for name in ("rq1", "rq3"))
    for path in notebooks.values():
        cells = json.loads(path.with_suffix(".ipynb").read_text(encoding="utf-8"))["cells"]
        assert all(cell.get("execution_count", 1) for cell in cells)
        assert str(path.parents[4]) not in path.read_text(encoding="utf-8")


def test_a_notebook_that_is_run_again_has_the_same_bytes(default_run, notebooks):
    files = [notebooks["rq3"], notebooks["rq3"].with_suffix(".ipynb")]
    before = [path.read_bytes() for path in files]
    target = files[0].relative_to(default_run)
    ended = snakemake(default_run, str(target), "--cores", "1", "--forcerun", "notebook")
    assert ended.returncode == 0, ended.stdout
    assert [path.read_bytes() for path in files] == before


@pytest.mark.parametrize(
    ("rq", "corpus", "n"), [("rq1", "agentbench", 100), ("rq3", "toolpool", 500)]
)
def test_a_query_looked_at_closely_has_the_pool_of_the_run(default_run, rq, corpus, n):
    results = Results(default_run / "results/default")
    queries = getattr(SelectedQueries, f"of_{rq}")(results, corpus)
    pools = queries.folder / "pools.parquet"
    pools = pd.read_parquet(pools, filters=[("n", "=", n), ("method", "=", "SSR")])
    for qid in sorted(set(pools["qid"]))[:5]:
        pool = pools[pools["qid"] == qid].sort_values("position")["id"].tolist()[: queries.k]
        assert queries.case(qid, n).pool(queries.k)["card"].tolist()[: len(pool)] == pool


def test_one_core_and_two_give_the_same_bytes(default_run, tmp_path):
    """Of RQ2 and the graph; tests/test_workflow_rq3.py has RQ3."""
    folder = lay_out(tmp_path)
    ended = snakemake(folder, "rq2", "graph", "--cores", "1", PYTHONHASHSEED="7")
    assert ended.returncode == 0, ended.stdout
    one = deterministic_files(folder / "results")
    two = deterministic_files(default_run / "results")
    assert len(one) > 100 and one.keys() <= two.keys()
    assert [name for name in one if one[name] != two[name]] == []
