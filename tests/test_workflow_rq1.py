"""RQ1's workflow on some of its queries: replay, a missing answer, the cost of a run."""

import json
import shutil

import pytest
from checkout import deterministic_files, error_lines, lay_out, snakemake

pytestmark = pytest.mark.workflow

FEW = "rq1={plain_queries: 12, paraphrased_queries: 4}"


@pytest.fixture(scope="module")
def offline(tmp_path_factory):
    """A folder with a run."""
    folder = lay_out(tmp_path_factory.mktemp("offline"))
    ended = snakemake(folder, "rq1", "--config", FEW)
    assert ended.returncode == 0, ended.stdout
    return folder


def ledgers(folder):
    return sorted((folder / "results/default/rq1").glob("*/measured/ledger.jsonl"))


def without_provenance(folder):
    files = deterministic_files(folder / "results").items()
    return {name: content for name, content in files if not name.endswith("provenance.json")}


def replay(folder):
    return snakemake(folder, "rq1", "--config", FEW, "llm={arbiter: replay}")


def test_replay_makes_the_same_tables_and_a_missing_answer_stops_it(offline, tmp_path):
    folder = lay_out(tmp_path)
    for ledger in ledgers(offline):
        copied = folder / ledger.relative_to(offline)
        copied.parent.mkdir(parents=True)
        shutil.copyfile(ledger, copied)
    assert replay(folder).returncode == 0
    assert without_provenance(folder) == without_provenance(offline)

    lines = ledgers(folder)[0].read_text().splitlines(keepends=True)
    ledgers(folder)[0].write_text("".join(lines[1:]))
    for made in ("arbitration.parquet", "table2.csv"):
        (folder / "results/default/rq1/agentbench" / made).unlink()
    ended = replay(folder)
    assert ended.returncode == 2
    [line] = set(error_lines(ended.stdout))
    assert json.loads(lines[0])["call"] in line and "llm.arbiter=offline" in line


def test_estimate_cost_counts_calls_and_spends_nothing(offline):
    ended = snakemake(offline, "estimate-cost", "--config", FEW)
    assert ended.returncode == 0, ended.stdout
    # 16 queries, 4 sizes, 2 methods; an empty pool needs no call.
    assert "What a live run would still ask of gpt-4o-mini" in ended.stdout
    rows = [line.split() for line in ended.stdout.splitlines() if line.strip().startswith("rq1 ")]
    assert len(rows) == 2 * 4 * 2
    assert 120 <= sum(int(row[-5]) for row in rows) <= 128
    # RQ3's calls follow: its full catalogs of 5,000 are refused and cost nothing.
    [full] = [line.split() for line in ended.stdout.splitlines() if "5000 Full" in line]
    assert full[:2] == ["rq3", "toolpool"] and full[-6:-4] == ["200", "0"]


def test_sizes_beyond_the_benchmark_are_one_line(tmp_path):
    ended = snakemake(lay_out(tmp_path), "rq1", "--config", "rq1={sizes: [10, 2000]}")
    assert ended.returncode == 2
    [line] = set(error_lines(ended.stdout))
    assert "rq1.sizes: a registry of 2,000 cards cannot be made of 1,000" in line
