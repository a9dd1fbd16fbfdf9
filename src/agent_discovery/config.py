"""The configuration: every key, its unit, its default and its bounds.

Some sections have a file of their own: `config_graph`, `config_llm`, `config_robustness`.

`workflow/schemas/config.schema.json` and the table in `config/README.md` are made from it
(`python -m agent_discovery.config`); a test holds them in step.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Field,
    PositiveInt,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import PydanticCustomError

from agent_discovery.config_graph import Graph
from agent_discovery.config_llm import Llm
from agent_discovery.config_robustness import Robustness
from agent_discovery.config_section import Section
from agent_discovery.errors import InputError, shown
from agent_discovery.files import write_text
from agent_discovery.signals import MAX_SIGNALS

Bm25Engine = Literal["auto", "fts5", "native"]
CardLevel = Literal["auto", "agent", "tool"]
TieBreak = Literal["paper", "authors"]
# In rising order, each once, however they are given.
Rising = Annotated[tuple[PositiveInt, ...], AfterValidator(lambda given: tuple(sorted(set(given))))]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$")]


class Bm25(Section):
    """The BM25 baseline of RQ2."""

    engine: Bm25Engine = Field(
        "auto",
        description="what computes BM25 on a whole corpus: `fts5` (SQLite's table, which defines "
        "it), `native` (the same scores, to the last bit, from the index itself) or `auto` (`fts5` "
        "up to 200,000 cards, `native` above)",
    )


class Rq1(Section):
    """RQ1 of SSR: full catalog against SSR on SSR-AgentBench."""

    k: int = Field(10, gt=0, description="budget K: cards that the LLM sees at most")
    seed: int = Field(2026, ge=0, description="seed of the benchmark generator and registries")
    sizes: Rising = Field(
        (10, 100, 500, 1000), min_length=1, description="registry sizes N, in cards"
    )
    full_catalog_up_to: int = Field(
        1000, ge=0, description="largest N at which the LLM is shown the full catalog, in cards"
    )
    plain_queries: int | None = Field(
        None, gt=0, description="queries of `agentbench` to run, from the first; null is all"
    )
    paraphrased_queries: int | None = Field(
        None, gt=0, description="the same of `agentbench-paraphrased`; null is all"
    )


class Rq2(Section):
    """RQ2 of SSR: five retrieval methods on judged queries."""

    k: int = Field(10, gt=0, description="retrieval depth K: cards returned for a query at most")
    sample_size: int = Field(
        200, gt=0, description="queries in the common sample (latency, full-scan equivalence)"
    )
    sample_seed: int = Field(42, ge=0, description="seed of the common sample")
    latency_repeats: int = Field(
        3, gt=0, le=1000, description="times each sampled query is timed; the median counts"
    )


class Rq3(Section):
    """RQ3 of SSR: end-to-end selection."""

    k: int = Field(20, gt=0, description="budget K: cards that the LLM sees at most")
    sizes: Rising = Field(
        (100, 500, 1000, 5000), min_length=1, description="registry sizes N, in cards"
    )
    sample_size: int = Field(200, gt=0, description="queries in the sample")
    queries: int | None = Field(
        None, gt=0, description="queries of the sample to run, from the first; null is all"
    )
    seed: int = Field(42, ge=0, description="seed of the query sample and of the registries")
    full_catalog_up_to: int = Field(
        5000, ge=0, description="largest N at which the LLM is shown the full catalog, in cards"
    )
    depths: Rising = Field((5, 10, 20, 50), min_length=1, description="budgets K that are compared")
    arbitrated_depths: Rising | None = Field(
        None,
        description="those of `depths` at which the LLM selects too, at the largest N; null is all",
    )
    context_windows: Rising = Field(
        (8_192, 16_384, 32_768, 65_536, 128_000, 200_000, 1_000_000),
        min_length=1,
        description="context windows, in tokens, whose failure point of the full catalog is found",
    )
    validation_size: int = Field(
        1000, gt=0, description="queries that choose K, and as many that test the choice"
    )
    validation_seed: int = Field(
        2027,
        ge=0,
        validate_default=True,
        description="seed of the independent validation of K; another than `seed`",
    )
    validation_margin: float = Field(
        0.02,
        ge=0,
        le=1,
        description="the smallest K is chosen whose candidate recall is within this of the "
        "largest K's",
    )

    @field_validator("arbitrated_depths")
    @classmethod
    def _are_depths(cls, value: tuple[int, ...] | None, info: ValidationInfo):
        if not set(value or ()) <= set(info.data.get("depths", value or ())):
            raise PydanticCustomError("depths", "Input should be among rq3.depths")
        return value

    def where_the_llm_selects(self) -> tuple[int, ...]:
        """The budgets at which the LLM selects at the largest N, rising."""
        return self.depths if self.arbitrated_depths is None else self.arbitrated_depths

    @field_validator("validation_seed")
    @classmethod
    def _is_independent(cls, value: int, info: ValidationInfo) -> int:
        if value == info.data.get("seed"):
            raise PydanticCustomError("seed", "Input should differ from rq3.seed")
        return value


class Intervals(Section):
    """95% bootstrap intervals over queries."""

    resamples: int = Field(1000, ge=100, le=1_000_000, description="bootstrap resamples")
    seed: int = Field(42, ge=0, description="seed of the bootstrap")


class Config(Section):
    """agent-discovery's configuration."""

    profile: Slug = Field("default", description="results go to `results/<profile>/`")
    corpus: str = Field(
        "toolpool",
        min_length=1,
        description="where cards, queries and judgments come from: a bundled set's name, "
        "`agentbench` or `agentbench-paraphrased` (generated), `irds:ID` (ir_datasets) or "
        "`files:DIR` (your own registry)",
    )
    card_level: CardLevel = Field(
        "auto",
        description="what becomes a card: `agent` (an agent with the text of its skills or tools), "
        "`tool` (each skill or tool, under its agent's name), or `auto` (`tool` for bundled sets "
        "and MCP manifests, `agent` for A2A Agent Cards)",
    )
    tie_break: TieBreak = Field(
        "paper",
        description="last tie by card id: `paper` (rising, numeric where all ids are integers) or "
        "`authors` (falling, as strings: the order of the authors' public script)",
    )
    max_signals: int = Field(
        MAX_SIGNALS, ge=1, le=MAX_SIGNALS, description="structural signals kept of a text at most"
    )
    bm25: Bm25 = Field(default_factory=Bm25)
    rq1: Rq1 = Field(default_factory=Rq1)
    rq2: Rq2 = Field(default_factory=Rq2)
    rq3: Rq3 = Field(default_factory=Rq3)
    graph: Graph = Field(default_factory=Graph)
    robustness: Robustness = Field(default_factory=Robustness)
    llm: Llm = Field(default_factory=Llm)
    intervals: Intervals = Field(default_factory=Intervals)


# Someone may have put a key there by mistake: nothing that stands there is repeated.
MAY_HOLD_A_KEY = ("graph", "llm")
KEYLESS = ("api_key_variable", "base_url")


def read_config(values: Mapping[str, Any]) -> Config:
    """Check configuration values; the first that is wrong is named in one line."""
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        raise InputError(_explain(error)) from None


def _explain(error: ValidationError) -> str:
    first = error.errors()[0]
    key = ".".join(part if isinstance(part, str) else shown(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"config: unknown key '{key}': config/README.md lists the keys"
    if key.split(".")[0] in MAY_HOLD_A_KEY:
        no_key = "it holds no key; " if key.split(".")[-1] in KEYLESS else ""
        return f"config: {key}: {first['msg']}: {no_key}see config/README.md"
    return f"config: {key}: {first['msg']}, not {shown(first['input'])}: see config/README.md"


def keys(section: type[Section] = Config, prefix: str = "") -> Iterator[tuple[str, str, str]]:
    """Each key as (dotted name, default as JSON, description)."""
    for name, field in section.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            yield from keys(field.annotation, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", json.dumps(field.default), field.description or ""


def key_table() -> str:
    """The keys as a Markdown table."""
    rows = [f"| `{name}` | `{default}` | {text} |" for name, default, text in keys()]
    return "\n".join(["| key | default | what it is |", "| --- | --- | --- |", *rows]) + "\n"


TABLE_MARKS = (
    "<!-- keys: made by python -m agent_discovery.config -->\n",
    "<!-- end of keys -->\n",
)


def with_key_table(readme: str) -> str:
    """`config/README.md` with the part between the marks made anew."""
    head, rest = readme.split(TABLE_MARKS[0])
    tail = rest.split(TABLE_MARKS[1])[1]
    return head + TABLE_MARKS[0] + key_table() + TABLE_MARKS[1] + tail


def schema_text() -> str:
    """The configuration's JSON Schema, for editors and other tools."""
    return json.dumps(Config.model_json_schema(), indent=2) + "\n"


if __name__ == "__main__":
    readme_path = Path("config/README.md")
    write_text(readme_path, with_key_table(readme_path.read_text(encoding="utf-8")))
    write_text("workflow/schemas/config.schema.json", schema_text())
