"""Where calls to models go: a live server with a key from the environment, or a local one."""

import ipaddress
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from agent_discovery.config import Graph, Llm
from agent_discovery.errors import InputError

OPENAI_URL = "https://api.openai.com/v1"
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
        return is_this_machine(urlsplit(self.base_url).hostname or "")


def is_this_machine(host: str) -> bool:
    """Whether a host of a URL, in whatever spelling, is this machine without asking anyone."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):  # RFC 6761
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        try:
            address = ipaddress.ip_address(socket.inet_aton(name))  # 127.1, 0x7f.1, 2130706433
        except (OSError, ValueError):
            return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified  # to connect to 0.0.0.0 is to come here


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
