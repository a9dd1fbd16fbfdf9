"""The configuration of the LLM that arbitrates."""

from typing import Literal

from pydantic import Field

from agent_discovery.config_section import BaseUrl, FilePath, Section, VariableName

DAY_S = 86_400.0
MOST_USD = 1_000_000_000.0  # sums of these stay finite, and can be written
Arbiter = Literal["offline", "replay", "live"]
PromptForm = Literal["plain", "hardened"]


class Llm(Section):
    """The LLM that arbitrates: where it is, what it costs, and how it is called."""

    arbiter: Arbiter = Field(
        "offline",
        description="who picks a card: `offline` (the deterministic stand-in on this machine; no "
        "key, no network), `replay` (recorded answers only) or `live` (`model`, which may cost "
        "money, for answers that are not recorded)",
    )
    model: str = Field(
        "gpt-4o-mini", min_length=1, description="model name, as its server knows it"
    )
    prompt: PromptForm = Field(
        "plain",
        description="how candidates are put to the LLM: `plain` (the paper's: a line of JSON each) "
        "or `hardened` (fenced, with nothing in them that looks like a fence, an object or a "
        "candidate, and the task said again below them)",
    )
    temperature: float = Field(0.0, ge=0, description="sampling temperature")
    input_price: float = Field(
        0.15, ge=0, le=MOST_USD, description="US dollars per million input tokens"
    )
    output_price: float = Field(
        0.60, ge=0, le=MOST_USD, description="US dollars per million output tokens"
    )
    context_window: int = Field(128_000, gt=0, description="tokens that the model can read at most")
    ledger: FilePath | None = Field(
        None,
        description="file in which calls are recorded and replayed from; null is one below "
        "`results/<profile>/<rq>/<corpus>/measured/`",
    )
    max_output_tokens: int = Field(64, gt=0, description="tokens that an answer may have")
    base_url: BaseUrl | None = Field(
        None, description="server of a live run; null is OpenAI's own. It holds no key"
    )
    api_key_variable: VariableName | None = Field(
        "OPENAI_API_KEY",
        description="name of the environment variable that holds the key of a live run; null for a "
        "server that needs none",
    )
    timeout_s: float = Field(
        120.0,
        gt=0,
        le=DAY_S,
        description="seconds that an attempt at a call may take, answer included",
    )
    max_attempts: int = Field(
        5,
        gt=0,
        le=100,
        description="attempts at a call that fails on the way or in the server",
    )
    patience_s: float = Field(
        600.0,
        ge=0,
        le=7 * DAY_S,
        description="seconds that a call waits for rate limits (429) in all; then the run stops, "
        "and the same command goes on",
    )
    tokens_per_minute: int | None = Field(
        None, gt=0, description="tokens that a live run sends a minute at most; null is no limit"
    )
    max_cost_usd: float | None = Field(
        None,
        ge=0,
        le=MOST_USD,
        description="US dollars that the live calls in a ledger may cost in all; null is no cap",
    )
    workers: int = Field(
        1, gt=0, le=64, description="calls under way at once; more than one lengthens latencies"
    )
