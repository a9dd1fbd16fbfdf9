"""The configuration of the robustness experiment."""

from typing import Any, Literal

from pydantic import Field

from agent_discovery.config_section import Section

Method = Literal["Full catalog", "SSR", "BM25"]
Kind = Literal["control", "injection", "stuffing"]


class Robustness(Section):
    """Registries into which adversarial cards are put: what reaches a pool, and what is chosen."""

    k: int = Field(10, gt=0, description="budget K: cards in a pool at most")
    queries: int = Field(
        100, gt=0, description="queries whose pools are looked at, drawn from the judged ones"
    )
    n: int = Field(
        100, gt=1, description="cards of the registries of `agentbench` that the LLM selects from"
    )
    arbitrated: int = Field(
        40, gt=0, description="queries of `agentbench` that the LLM selects for"
    )
    arbitrated_methods: tuple[Method, ...] = Field(
        ("Full catalog", "SSR", "BM25"),
        min_length=1,
        description="whose candidates the LLM selects from",
    )
    arbitrated_kinds: tuple[Kind, ...] = Field(
        ("control", "injection", "stuffing"),
        description="kinds of adversarial cards that the LLM selects with",
    )
    seed: int = Field(2026, ge=0, description="seed of the queries drawn and of the cards' places")

    def on(self, arbitrated: bool) -> dict[str, Any]:
        """What holds for the corpus that an LLM selects from, or for one that is only searched.

        `n` is None where registries hold all cards.
        """
        return {
            "queries": self.arbitrated if arbitrated else self.queries,
            "n": self.n if arbitrated else None,
            "k": self.k,
            "seed": self.seed,
        }
