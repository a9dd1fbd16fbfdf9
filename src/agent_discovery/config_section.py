"""What a section of the configuration is made of."""

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from types import NoneType
from typing import Annotated, Any, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    StringConstraints,
    ValidationInfo,
    field_validator,
)
from pydantic_core import PydanticCustomError

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_IPV4 = re.compile(r"\d+\.\d+\.\d+\.\d+")
FilePath = Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\x00]+$")]
LONGEST_URL = 2000  # characters


def _host_and_port(url: str) -> str:
    """Refuse what a client could not connect to: it fails on each in a way of its own.

    What is wrong is told without the value, in which somebody may have put a key.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
        if "[" in parts.netloc:
            IPv6Address(host)
        elif _IPV4.fullmatch(host):
            IPv4Address(host)
        elif not _NAME.fullmatch(host):
            raise ValueError
        else:
            host.encode("idna")  # as the socket will: no label is empty or too long
    except ValueError:
        raise PydanticCustomError(
            "host", "Input should have a host (in ASCII) and, if any, a port up to 65535"
        ) from None
    if not url.isprintable():
        raise PydanticCustomError("url", "Input should hold no invisible character")
    return url


VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Z_][A-Z0-9_]*$")]
# No user, no query, no fragment: those are places for a key.
BaseUrl = Annotated[
    str,
    StringConstraints(pattern=r"^https?://[^\s/?#@]+(/[^\s?#@]*)?$", max_length=LONGEST_URL),
    AfterValidator(_host_and_port),
]


def _flat(value: Any) -> Iterator[Any]:
    """A value, or what its lists hold, of whatever depth; a YAML alias may stand in itself."""
    waiting, seen = [value], set()
    while waiting:
        one = waiting.pop()
        if not isinstance(one, list | tuple):
            yield one
        elif id(one) not in seen:
            seen.add(id(one))
            waiting.extend(one)


class Section(BaseModel):
    """A part of the configuration; a key that it does not name is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _no_number_beyond_64_bits(cls, value: Any) -> Any:
        """Refuse an integer that no file could hold, and that may be too long to be written."""
        if any(isinstance(one, int) and not -(2**63) <= one < 2**63 for one in _flat(value)):
            raise PydanticCustomError("number", "Input should fit 64 bits")
        return value

    @field_validator("*", mode="before")
    @classmethod
    def _no_flag_for_a_number(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuse `k: yes`, which pydantic would take for 1."""
        if isinstance(value, bool) and cls.model_fields[info.field_name].annotation in (int, float):
            raise PydanticCustomError("flag", "Input should be a number")
        return value

    @field_validator("*", mode="before")
    @classmethod
    def _null_on_the_command_line(cls, value: Any, info: ValidationInfo) -> Any:
        """Snakemake gives `--config 'llm={base_url: null}'` as text."""
        may_be_none = NoneType in get_args(cls.model_fields[info.field_name].annotation)
        return None if value == "null" and may_be_none else value
