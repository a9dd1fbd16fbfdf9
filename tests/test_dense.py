"""Embeddings made anew by the real models: `make test-dense`, in an environment of its own.

Skipped where the `dense` extra or the models are not installed.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from agent_discovery.cards import QRELS_SCHEMA, QUERIES_SCHEMA, table_of
from agent_discovery.config import Graph
from agent_discovery.corpora import load_corpus
from agent_discovery.corpora.graph_data import route_requests
from agent_discovery.evaluation.graph_views import evaluate, measures_at, views_of
from agent_discovery.retrieval.embeddings import read_vectors, recorded_files
from agent_discovery.retrieval.encoders import LOCAL_MODELS, WEIGHTS, local_encoder
from agent_discovery.retrieval.graph import AgentGraph
from agent_discovery.retrieval.graph_runs import asks, dense_runs, texts_to_embed

pytest.importorskip("sentence_transformers", reason="needs the dense extra")

ROOT = Path(__file__).parents[1]
CORPUS, WHOLE = "livemcpbench", "all-MiniLM-L6-v2"
SAMPLE_EVERY = 40  # texts; the larger model takes a quarter of a minute for these
BATCH = 32


@pytest.fixture(scope="module")
def corpus():
    return load_corpus(CORPUS, "graph")


@pytest.fixture(scope="module")
def graph(corpus):
    return AgentGraph.from_cards(corpus.cards)


@pytest.fixture(scope="module")
def wanted(corpus):
    return asks(table_of(corpus.queries, QUERIES_SCHEMA), route_requests(CORPUS))


def recorded(encoder: str, texts: list[str]) -> dict[str, np.ndarray]:
    found = read_vectors(recorded_files(ROOT / "recordings/embeddings", encoder), texts)
    assert found.keys() == set(texts)
    return found


def anew(encoder: str, texts: list[str]) -> dict[str, np.ndarray]:
    folder = ROOT / "models" / encoder
    if not (folder / WEIGHTS).is_file():
        pytest.skip(f"needs the model in {folder}")
    encode = local_encoder(encoder, folder)
    texts = sorted(texts, key=len)
    parts = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
    return dict(zip(texts, np.concatenate([encode(part) for part in parts]), strict=True))


@pytest.fixture(scope="module")
def made(graph, wanted):
    """All vectors of the smaller model."""
    return anew(WHOLE, texts_to_embed(graph, wanted))


def least_cosine(one: dict, other: dict) -> float:
    pairs = [(one[text].astype(float), other[text].astype(float)) for text in one]
    return min(float(a @ b / np.linalg.norm(a) / np.linalg.norm(b)) for a, b in pairs)


def test_every_vector_of_the_smaller_model_is_met(made):
    assert least_cosine(made, recorded(WHOLE, list(made))) >= 0.9999


@pytest.mark.parametrize("encoder", [name for name in LOCAL_MODELS if name != WHOLE])
def test_a_sample_of_every_other_model_is_met(graph, wanted, encoder):
    texts = texts_to_embed(graph, wanted)[::SAMPLE_EVERY]
    assert least_cosine(anew(encoder, texts), recorded(encoder, texts)) >= 0.9999


def test_embeddings_made_anew_give_the_same_tables(graph, wanted, corpus, made):
    qrels = table_of(corpus.qrels, QRELS_SCHEMA).to_pandas()
    tables = []
    for vectors in (made, recorded(WHOLE, list(made))):
        runs = dense_runs(graph, wanted, vectors, WHOLE, Graph()).agents.to_pandas()
        tables.append(
            pd.concat(
                evaluate(runs, qrels, view, 5).groupby("method")[list(measures_at(5))].mean()
                for view in views_of(runs)
            )
        )
    assert (tables[0] - tables[1]).abs().max(axis=None) <= 0.002
