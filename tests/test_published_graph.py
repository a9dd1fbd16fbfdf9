"""`expected/agent_as_a_graph.yaml` against the published figures, typed again by hand."""

from pathlib import Path

from pytest import approx, fixture, mark

from agent_discovery.config import Graph
from agent_discovery.reporting.claims import read_claims
from agent_discovery.reporting.published import published_encoders
from agent_discovery.retrieval.encoders import LOCAL_MODELS
from agent_discovery.retrieval.graph_methods import compared

EXPECTED = Path(__file__).parents[1] / "expected" / "agent_as_a_graph.yaml"
PUBLISHED = {
    "graph-agents": 70,
    "graph-tools": 527,
    "graph-questions": 95,
    "graph-steps": 2.68,
    "graph-tools-a-question": 2.82,
    "graph-agents-a-question": 1.40,
    "graph-recall": 0.83,
    "graph-ndcg": 0.46,
    "graph-rrf-recall": 0.79,
    "graph-rrf-ndcg": 0.44,
    "graph-mcpzero-ndcg": 0.41,
    "graph-over-rrf": 0.051,
    "graph-wrrf-recall": 0.85,
    "graph-wrrf-ndcg": 0.47,
    "graph-wrrf-ndcg-conclusion": 0.48,
    "graph-wrrf-gain": 0.0241,
    "graph-gain-recall": 0.149,
    "graph-gain-ndcg": 0.146,
    "graph-wrrf-3-1": 0.76,
    "graph-wrrf-1-3": 0.80,
    "graph-eight-mcpzero-recall": 0.70,
    "graph-eight-recall": 0.85,
    "graph-eight-recall-gain": 0.194,
    "graph-eight-mcpzero-ndcg": 0.41,
    "graph-eight-ndcg": 0.48,
    "graph-eight-ndcg-gain": 0.177,
    "graph-eight-mcpzero-map": 0.31,
    "graph-eight-map": 0.36,
    "graph-eight-variance-recall": 0.02,
    "graph-eight-variance-ndcg": 0.01,
    "graph-minilm-gain": 0.194,
    "graph-titan-gain": 0.288,
    "graph-agent-share": 0.3913,
    "graph-agent-share-wrrf": 0.3913,
    "graph-tool-share": 0.3444,
    "graph-tool-share-wrrf": 0.3444,
}
COUNTS = {"graph-agents", "graph-tools", "graph-questions"}
DECIMALS = {1.40: 2, 0.80: 2, 0.70: 2}  # figures written with a last digit of zero


@fixture(scope="module")
def claims():
    return read_claims(EXPECTED)[1]


@fixture(scope="module")
def figures(claims):
    return [claim for claim in claims if claim.kind == "figure"]


def test_every_published_figure_is_claimed_and_no_other(figures):
    assert {claim.id: claim.value for claim in figures} == PUBLISHED


def test_tolerances_are_half_a_unit_of_the_last_published_digit(figures):
    for claim in figures:
        digits = DECIMALS.get(claim.value, len(f"{claim.value:.10g}".partition(".")[2]))
        expected = 0 if claim.id in COUNTS else 0.5 * 10.0**-digits
        assert claim.tolerance == approx(expected), claim.id


def test_every_claim_about_a_measure_names_its_view(claims):
    for claim in claims:
        if claim.ours.column.startswith(("recall", "ndcg", "map")):
            assert f"view: {claim.ours.row['view']}" in claim.says or "the same" in claim.says
            expected = "union" if claim.ours.column.startswith("recall") else "step"
            assert claim.ours.row["view"] == expected or claim.kind == "shape"


def test_every_claim_is_for_the_papers_corpus_and_budget(claims):
    for claim in claims:
        assert claim.needs["corpus"] == "livemcpbench"
        assert claim.ours.table.endswith("statistics.csv") or claim.needs["k"] == 5


def test_methods_are_called_as_in_the_tables(claims):
    methods = compared(Graph())
    names = {*methods.lexical, *methods.dense}
    ratios = {ratio for _, ratio, _ in methods.sweep}
    for claim in claims:
        for row in (claim.ours.row, claim.ours.over or {}):
            assert {row[key] for key in ("method",) if key in row} <= names
            assert {row[key] for key in ("weights",) if key in row} <= ratios


def test_what_was_made_with_another_encoder_needs_it(figures):
    for claim in figures:
        other = claim.ours.table.endswith(("baselines.csv", "weights.csv"))
        assert not other or claim.needs["encoder"] == "text-embedding-ada-002"


@mark.parametrize("name", LOCAL_MODELS)
def test_the_papers_eight_encoders(name):
    encoders = published_encoders(EXPECTED)
    assert len(encoders) == 8 and all(encoder.needs for encoder in encoders)
    assert (name in {encoder.runs_as for encoder in encoders}) == (name == "all-MiniLM-L6-v2")
