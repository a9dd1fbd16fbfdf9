"""What the papers claim, as data: `expected/*.yaml`, checked as strictly as the configuration."""

from pathlib import Path
from typing import Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from agent_discovery.errors import InputError
from agent_discovery.shipped import check_shipped

Comparison = Literal["increase", "reduction", "speedup", "lead"]


class Model(BaseModel):
    """Claims are checked as strictly as the configuration is."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Ours(Model):
    """Where our figure of a claim is found."""

    table: str
    row: dict[str, str | int | bool]
    column: str
    over: dict[str, str | int | bool] | None = None
    compared_as: Comparison | None = Field(None, alias="as")

    @model_validator(mode="after")
    def _pair_is_whole(self) -> Self:
        if (self.over is None) != (self.compared_as is None):
            raise ValueError("`over` and `as` go together")
        return self


class Claim(Model):
    """A published claim, or (`of` names one) another reading of it."""

    id: str
    kind: Literal["figure", "shape"]
    where: str
    says: str
    needs: dict[str, str | int]
    ours: Ours
    value: float | None = None
    tolerance: float | None = Field(None, ge=0)
    holds: Literal["positive", "equal"] | None = None
    published: float | None = None
    ought_on: list[str] | Literal["any"] = []
    made: Literal["calibrated", "by construction"] | None = Field(None, alias="class")
    measured: bool = False
    differs_because: str | None = None
    of: str | None = None

    @model_validator(mode="after")
    def _can_be_judged(self) -> Self:
        if "rq" not in self.needs:
            raise ValueError("`needs` must name the research question, `rq`")
        if (self.kind == "shape") != (self.holds is not None):
            raise ValueError("a shape, and no figure, says when it `holds`")
        if self.holds != "positive" and None in (self.value, self.tolerance):
            raise ValueError("what is compared has a `value` and a `tolerance`")
        return self


def read_yaml(path: str | Path) -> Any:
    """A YAML file's value; one that ships must have its checksum."""
    content = Path(path).read_bytes()
    check_shipped(Path(path), content)
    return yaml.safe_load(content.decode())


def read_claims(path: str | Path) -> tuple[str, list[Claim]]:
    """The paper's name and its claims."""
    try:
        content = read_yaml(path)
        paper, given = content["paper"], list(content["claims"])
    except (OSError, ValueError, yaml.YAMLError, KeyError, TypeError):
        raise InputError(f"{path}: must be a YAML file with `paper` and `claims`") from None
    claims = [_claim(value, f"{path}: claim {place}") for place, value in enumerate(given, 1)]
    ids = [claim.id for claim in claims]
    repeated = {claim_id for claim_id in ids if ids.count(claim_id) > 1}
    if repeated:
        raise InputError(f"{path}: claim ids are there twice: {sorted(repeated)}")
    published = {claim.id for claim in claims if claim.of is None}
    for claim in claims:
        if claim.of is not None and claim.of not in published:
            raise InputError(f"{path}: claim {claim.id}: of: {claim.of!r} is no published claim")
    return paper, claims


def _claim(value: Any, where: str) -> Claim:
    try:
        return Claim.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        name = f"{where} ({value['id']})" if isinstance(value, dict) and "id" in value else where
        key = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{name}: {key}: {first['msg']}") from None
