"""Agent-as-a-Graph's workflow: other corpora, a text without a vector, other labels."""

import json

import pandas as pd
import pytest
from checkout import error_lines, lay_out, snakemake
from corpus_files import json_lines, lay

from agent_discovery.retrieval.embeddings import record

pytestmark = pytest.mark.workflow

MODEL = "all-MiniLM-L6-v2"


@pytest.mark.parametrize("corpus", ["mcpproxy_golden", "toolalpaca"])
def test_a_bundled_set_without_steps(tmp_path, corpus):
    folder = lay_out(tmp_path)
    ended = snakemake(folder, "graph", "--config", f"corpus={corpus}")
    assert ended.returncode == 0, ended.stdout
    results = folder / "results/default/graph" / corpus
    table = pd.read_csv(results / "baselines.csv")
    assert set(table["view"]) == {"direct"} and table["recall@5"].between(0, 1).all()
    assert set(pd.read_csv(results / "encoders.csv")["encoder"].dropna()) > {MODEL}
    assert (results / "graph.graphml").is_file() and (results / "figures/graph.png").is_file()
    made_from = json.loads((results / "provenance.json").read_text())
    assert made_from["encoders"][0]["encoder"] == MODEL


def write_registry(folder):
    """Two servers with one name, one without tools, empty and Chinese descriptions."""
    search = {"name": "search", "description": "搜索网页"}
    servers = {
        "web.json": {"name": "Web", "description": "", "tools": [search]},
        "again.json": {"name": "Web", "description": "more", "tools": [{"name": "fetch"}]},
        "bare.json": {"name": "Bare", "description": "no tools", "tools": []},
    }
    queries = json_lines({"id": "q", "text": "find it", "steps": ["look", "read"]})
    lay(folder, {**servers, "queries.jsonl": queries, "qrels.tsv": "q\t0\tweb::search\t1\n"})


def test_a_registry_of_ones_own_needs_vectors_and_then_runs(tmp_path):
    write_registry(tmp_path / "mine")
    folder = lay_out(tmp_path / "run")
    arguments = ("graph", "--config", "corpus=files:../mine")
    ended = snakemake(folder, *arguments)
    assert ended.returncode == 2
    [line] = set(error_lines(ended.stdout))
    assert "no recorded vector by all-MiniLM-L6-v2" in line and "`dense` extra" in line
    assert "Traceback" not in ended.stdout

    texts = ["Web: ", "Web: more", "Bare: no tools", "search: 搜索网页", "fetch: "]
    texts += ["find it", "look", "read"]
    vectors = {text: [len(text), place + 1.0, 1.0] for place, text in enumerate(texts)}
    record(folder / "recordings/embeddings", MODEL, "mine", vectors, {})
    ended = snakemake(folder, *arguments)
    assert ended.returncode == 0, ended.stdout
    [results] = (folder / "results/default/graph").iterdir()
    table = pd.read_csv(results / "baselines.csv")
    # The label of a tool counts for its server.
    assert pd.read_csv(results / "statistics.csv")["labelled_queries"].tolist() == [1]
    assert set(table["view"]) == {"direct", "step", "pool", "union", "both"}


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["graph={corpus: apibench}"], "no card has a parent"),
        (["graph={corpus: docker_mcp_registry}"], "no query has a positive judgment"),
        (["corpus=mcpproxy_golden", "graph={labels: strict}"], "the corpus has no strict labels"),
        (["graph={encoders: [some-model]}"], "set graph.base_url"),
        (["graph={nodes: 0}"], "graph.nodes"),
        (["graph={base_url: 'http://u:secret@h'}"], "graph.base_url"),
    ],
)
def test_what_cannot_run_is_one_line(tmp_path, values, told):
    ended = snakemake(lay_out(tmp_path), "graph", "--config", *values)
    assert ended.returncode == 2, ended.stdout
    lines = set(error_lines(ended.stdout))
    assert any(told in line for line in lines), lines
    assert "Traceback" not in ended.stdout and "secret" not in ended.stdout
