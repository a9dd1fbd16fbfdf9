"""Where calls to models go: a live server with a key from the environment, or a local one."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from agent_discovery.config import Graph, Llm
from agent_discovery.errors import InputError

OPENAI_URL = "https://api.openai.com/v1"
LOOPBACK_HOSTS = ("127.0.0.1", "::1", "localhost")
NO_KEY = "none"  # the SDK demands some key; servers that check none ignore it


@dataclass(frozen=True)
class Endpoint:
    """A server that speaks OpenAI's protocol. The key is never printed nor written."""

    base_url: str
    key: str = field(default=NO_KEY, repr=False)
    key_variable: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def loopback(self) -> bool:
        """Whether the server is on this machine."""
        return urlsplit(self.base_url).hostname in LOOPBACK_HOSTS


def live_endpoint(section: Llm | Graph, environment: Mapping[str, str] = os.environ) -> Endpoint:
    """The configured server; InputError when the variable that should hold the key is empty."""
    base_url = section.base_url or OPENAI_URL
    variable = section.api_key_variable
    if variable is None:
        return Endpoint(base_url)
    key = environment.get(variable, "").strip()
    if not key:
        raise InputError(
            f"environment variable {variable} is empty: put the API key for {base_url} there "
            f"(or set {type(section).__name__.lower()}.api_key_variable to null for a server that "
            "needs none)"
        )
    if not (key.isascii() and key.isprintable()):
        raise InputError(f"environment variable {variable} holds no API key: mend it")
    return Endpoint(base_url, key, variable)
