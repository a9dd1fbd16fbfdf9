"""Vectors from any OpenAI-compatible `/embeddings` endpoint, through the `openai` client."""

import json
from collections.abc import Sequence

import numpy as np

from agent_discovery.config import Graph
from agent_discovery.endpoint import live_endpoint
from agent_discovery.errors import InputError
from agent_discovery.model_client import BodyRefused, CallTooLong, model_client
from agent_discovery.retrieval.embeddings import Encode

TIMEOUT_S = 120.0
RETRIES = 5  # the SDK waits as the server asks; a batch that was answered is kept already
GREATEST_BODY = 64 << 20  # bytes; a batch of 8,192 dimensions, written at length, has some 12 MB


def server_encoder(model: str, config: Graph) -> Encode:
    """A model behind `graph.base_url`. A server that fails is an InputError without the key."""
    endpoint = live_endpoint(config)
    client = model_client(endpoint, TIMEOUT_S, GREATEST_BODY, RETRIES)

    def encode(texts: Sequence[str]) -> np.ndarray:
        try:
            response = client.embeddings.with_raw_response.create(
                model=model, input=list(texts), encoding_format="float"
            )
            return _matrix(response.content, len(texts))
        except Exception as error:  # a server may send what no one has thought of
            status = getattr(error, "status_code", None)
            told = f"HTTP {status}" if status else type(error).__name__
            if isinstance(error, BodyRefused | CallTooLong):
                told = str(error)
            raise InputError(
                f"{endpoint.base_url}: no vectors by {model} ({told}): mend that and run the same "
                "command; vectors already made are kept"
            ) from None

    return encode


def _matrix(body: bytes, texts: int) -> np.ndarray:
    """The vectors of an answer in the order of the texts; some error for what is no answer."""
    items = json.loads(body)["data"]
    rows = {item["index"]: item["embedding"] for item in items}
    return np.array([rows[place] for place in range(texts)], np.float32)
