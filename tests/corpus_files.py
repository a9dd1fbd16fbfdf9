"""Laying out input files, and what every refusal of one must be like."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest import raises

from agent_discovery.errors import InputError


def lay(folder: Path, files: dict[str, Any]) -> Path:
    """Write files below `folder`: bytes and text as they are, any other value as JSON."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, bytes | str):
            content = json.dumps(content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def json_lines(*values: Any) -> str:
    """Values as JSON lines, with no character escaped that need not be."""
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def refusal(call: Callable, *arguments: Any) -> str:
    """The message of the InputError that `call` must end with, which must be one clean line."""
    with raises(InputError) as caught:
        call(*arguments)
    message = str(caught.value)
    assert message.isprintable()
    return message
