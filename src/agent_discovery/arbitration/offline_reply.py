"""What the offline arbiter answers to a request, sound or faulty."""

import json
from typing import Any, NamedTuple

from agent_discovery.arbitration.offline_faults import (
    BODIES,
    CONTENTS,
    CUT_OFF_MODES,
    FIELDS,
    REFUSALS,
    Refusal,
    context_refusal,
)
from agent_discovery.arbitration.offline_pick import pick, pool_size
from agent_discovery.arbitration.tokens import count
from agent_discovery.errors import InputError

# The number goes up when answers change: recorded answers of an older one are not replayed then.
OFFLINE_MODEL = "offline-arbiter-1"
FINGERPRINT = "fp_offline_1"


class Reply(NamedTuple):
    """A response: its status, its body and more headers."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


def read_body(content: bytes) -> dict[str, Any]:
    """A request's body; InputError for what is no chat completion."""
    try:
        request = json.loads(content)
        messages = request["messages"]
        valid = bool(messages) and all(
            isinstance(message["role"], str) and isinstance(message["content"], str)
            for message in messages
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        valid = False
    if not valid:
        raise InputError("the body is no chat completion with messages of role and content")
    return request


def respond(
    request: dict[str, Any], tokens_in: int, fault: str, context_window: int, key: str
) -> Reply:
    """The response to a request, by its fault mode ("" for none)."""
    most_out = request.get("max_tokens") or request.get("max_completion_tokens") or 0
    if fault in REFUSALS and fault != "context-length":
        refusal = REFUSALS[fault]
        return error_reply(refusal._replace(message=refusal.message.format(key=key)))
    if fault == "context-length" or tokens_in + most_out > context_window:
        return error_reply(context_refusal(context_window, tokens_in, most_out))
    if fault in BODIES:
        return Reply(200, BODIES[fault])
    message = request["messages"][-1]["content"]
    index = pick(message)
    content = f'{{"selected_index": {index}}}'
    if fault in CONTENTS:
        content = CONTENTS[fault](index, pool_size(message))
    if fault == "echo-key":
        content = json.dumps({"selected_index": index, "key": key})
    return Reply(200, json.dumps(_completion(request, content, tokens_in, fault)).encode())


def _completion(
    request: dict[str, Any], content: str, tokens_in: int, fault: str
) -> dict[str, Any]:
    tokens_out = count(content)
    message = {"role": "assistant", "content": content, "refusal": None}
    finish = "length" if fault in CUT_OFF_MODES else "stop"
    completion = {
        "id": "chatcmpl-offline",
        "object": "chat.completion",
        "created": 0,
        "model": OFFLINE_MODEL,
        "system_fingerprint": FINGERPRINT,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        },
    }
    if fault == "no-usage":
        del completion["usage"]
    return {**completion, **FIELDS.get(fault, {})}


def error_reply(refusal: Refusal) -> Reply:
    """An error as a response."""
    headers = ()
    if refusal.retry_after_s is not None:
        headers = (("retry-after", str(refusal.retry_after_s)),)
    return Reply(refusal.status, json.dumps(refusal.body()).encode(), headers)
