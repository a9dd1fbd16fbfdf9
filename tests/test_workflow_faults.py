"""The workflow when something is wrong: bad configuration, bad data."""

import json
import shutil

import pytest
from checkout import ROOT, error_lines, lay_out, snakemake

pytestmark = pytest.mark.workflow

SMALL = "corpus=mcpproxy_golden"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["colour=red"], "unknown key 'colour'"),
        (["rq2={size: 3}"], "unknown key 'rq2.size'"),
        (["rq2={k: 0}"], "rq2.k: Input should be greater than 0"),
        (["corpus=nosuch"], "corpus 'nosuch' is not known"),
        (["corpus=files:no/such/folder"], "files:no/such/folder: there is no such folder"),
        (["tie_break=random"], "tie_break: Input should be 'paper' or 'authors'"),
    ],
)
def test_bad_configuration_is_one_line_and_exit_code_2(tmp_path, arguments, told):
    ended = snakemake(lay_out(tmp_path), "rq2", "--config", *arguments)
    assert ended.returncode == 2
    [line] = error_lines(ended.stdout)
    assert told in line
    assert "Traceback" not in ended.stdout
    assert not (tmp_path / "results").exists()


def write_registry(folder, judged="a"):
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps({"id": "a", "name": "Alpha", "skills": []}))
    (folder / "queries.jsonl").write_text(json.dumps({"id": "q", "text": "alpha"}))
    (folder / "qrels.tsv").write_text(f"q\t0\t{judged}\t1\n")


def failed_job(folder, *arguments, **environment):
    """The one error line of a run whose job fails on its input."""
    ended = snakemake(folder, "rq2", "--config", *arguments, **environment)
    assert ended.returncode == 2, ended.stdout
    assert "Traceback" not in ended.stdout
    [line] = set(error_lines(ended.stdout))
    leftovers = [path for path in (folder / "results").rglob("*") if path.is_file()]
    assert leftovers == []
    return line


def test_judgment_for_an_absent_card(tmp_path):
    write_registry(tmp_path / "registry", judged="b")
    line = failed_job(lay_out(tmp_path / "run"), "corpus=files:../registry")
    assert "the judgment (q, b) is for a card that is not there" in line


def test_broken_card(tmp_path):
    write_registry(tmp_path / "registry")
    (tmp_path / "registry/b.json").write_text('{"name": ')
    line = failed_job(lay_out(tmp_path / "run"), "corpus=files:../registry")
    assert "b.json: broken JSON" in line


def test_wrong_checksum(tmp_path):
    shutil.copytree(ROOT / "data", tmp_path / "data")
    with open(tmp_path / "data/mcpproxy_golden/agents.jsonl", "a") as stream:
        stream.write("\n")
    data = {"AGENT_DISCOVERY_DATA": str(tmp_path / "data")}
    line = failed_job(lay_out(tmp_path / "run"), SMALL, **data)
    assert "mcpproxy_golden/agents.jsonl: wrong checksum" in line


def test_corpus_without_judgments_can_be_searched_but_not_scored(tmp_path):
    ended = snakemake(lay_out(tmp_path), "rq2", "--config", "corpus=mcp_registry_seed")
    assert ended.returncode == 2
    assert "no query has a positive judgment" in error_lines(ended.stdout)[0]


def test_another_corpus_overwrites_nothing(tmp_path):
    write_registry(tmp_path / "registry")
    folder = lay_out(tmp_path / "run")
    for corpus in (SMALL, "corpus=files:../registry"):
        assert snakemake(folder, "rq2", "--config", corpus).returncode == 0
    tables = sorted(path.parent.name for path in (folder / "results").rglob("table3.csv"))
    assert len(tables) == 2 and tables[1] == "mcpproxy_golden"
