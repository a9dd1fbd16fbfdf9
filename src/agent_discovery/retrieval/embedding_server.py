"""Vectors from any OpenAI-compatible `/embeddings` endpoint, through the `openai` client."""

from collections.abc import Sequence

import numpy as np
import openai

from agent_discovery.config import Graph
from agent_discovery.endpoint import live_endpoint
from agent_discovery.errors import InputError
from agent_discovery.retrieval.embeddings import Encode

TIMEOUT_S = 120.0
RETRIES = 5  # the SDK waits as the server asks; a batch that was answered is kept already


def server_encoder(model: str, config: Graph) -> Encode:
    """A model behind `graph.base_url`. A server that fails is an InputError without the key."""
    endpoint = live_endpoint(config)
    http = openai.DefaultHttpxClient(
        follow_redirects=False, trust_env=not endpoint.loopback, timeout=TIMEOUT_S
    )
    client = openai.OpenAI(
        api_key=endpoint.key,
        base_url=endpoint.base_url,
        timeout=TIMEOUT_S,
        max_retries=RETRIES,
        http_client=http,
    )

    def encode(texts: Sequence[str]) -> np.ndarray:
        try:
            answer = client.embeddings.create(
                model=model, input=list(texts), encoding_format="float"
            )
            rows = {item.index: item.embedding for item in answer.data}
            return np.array([rows[place] for place in range(len(texts))], np.float32)
        except (openai.OpenAIError, ValueError, TypeError, AttributeError, KeyError) as error:
            status = getattr(error, "status_code", None)
            told = f"HTTP {status}" if status else type(error).__name__
            raise InputError(
                f"{endpoint.base_url}: no vectors by {model} ({told}): mend that and run the same "
                "command; vectors already made are kept"
            ) from None

    return encode
