"""The body of a call: exactly what determines its answer, and so what it is recorded under."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from agent_discovery.arbitration.tokens import cost_usd, greatest_tokens
from agent_discovery.config import Llm


def request_body(llm: Llm, model: str, messages: list[dict[str, str]]) -> dict[str, Any]:
    """A chat completion's body in JSON mode: model, parameters and messages."""
    return {
        "model": model,
        "messages": messages,
        "temperature": llm.temperature,
        "max_tokens": llm.max_output_tokens,
        "response_format": {"type": "json_object"},
    }


def call_key(request: Mapping[str, Any]) -> str:
    """The SHA-256 of a request's body in canonical JSON, in hexadecimal."""
    text = json.dumps(request, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def greatest_cost_usd(request: Mapping[str, Any], llm: Llm) -> float:
    """US dollars that one attempt at this request can cost at most."""
    tokens_in = greatest_tokens(request["messages"], request["model"])
    return cost_usd(tokens_in, request["max_tokens"], llm.input_price, llm.output_price)
