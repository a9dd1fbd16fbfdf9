"""What a section of the configuration is made of."""

from collections.abc import Iterator
from types import NoneType
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Z_][A-Z0-9_]*$")]
# No user, no query, no fragment: those are places for a key.
BaseUrl = Annotated[str, StringConstraints(pattern=r"^https?://[^\s/?#@]+(/[^\s?#@]*)?$")]


def _flat(value: Any) -> Iterator[Any]:
    """A value, or what its lists hold."""
    if isinstance(value, list | tuple):
        for inner in value:
            yield from _flat(inner)
    else:
        yield value


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
