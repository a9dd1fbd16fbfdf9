"""What one request costs: the whole catalog shown to an LLM, or a pool of it. Nothing is sent."""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from agent_discovery.arbitration.estimate import answer_tokens
from agent_discovery.arbitration.prompt import Candidate, candidate_line, messages_for
from agent_discovery.arbitration.tokens import chat_tokens, cost_usd, count
from agent_discovery.config import Llm


class RequestCost(NamedTuple):
    """Means over some requests; a request with nothing to show makes no call and costs nothing.

    tokens_in is the exact o200k count, tokens_out what the plainest answer takes.
    """

    requests: int
    cards_shown: float
    tokens_in: float
    tokens_out: float
    cost_usd: float
    beyond_context: int  # requests whose prompt outgrows the context window: a model refuses them


def catalog_tokens(cards: Iterable[tuple[str, str]]) -> int:
    """The tokens that the lines of all cards, given as (name, description), add to a prompt."""
    return sum(count(candidate_line(place, *card)) for place, card in enumerate(cards, start=1))


def catalog_cost(queries: Sequence[str], cards: int, catalog: int, llm: Llm) -> RequestCost:
    """The full catalog of some number of cards; catalog: its `catalog_tokens`.

    A candidate's tokens do not depend on what is around its line, so counts add up exactly.
    """
    prompts = [chat_tokens(messages_for(query, ())) + catalog for query in queries]
    return _mean([(cards, tokens) for tokens in prompts], llm)


def pool_cost(pools: Iterable[tuple[str, Sequence[Candidate]]], llm: Llm) -> RequestCost:
    """The pool of each request, given as (request, candidates)."""
    return _mean(
        [(len(pool), chat_tokens(messages_for(query, pool))) for query, pool in pools], llm
    )


def _mean(prompts: Sequence[tuple[int, int]], llm: Llm) -> RequestCost:
    """prompts: the candidates shown and the input tokens of each request."""
    calls = [
        (shown, tokens, answer_tokens(shown)) if shown else (0, 0, 0) for shown, tokens in prompts
    ]
    prices = (llm.input_price, llm.output_price)
    return RequestCost(
        len(calls),
        *(fmean(column) for column in zip(*calls, strict=True)),
        fmean(cost_usd(tokens_in, tokens_out, *prices) for _, tokens_in, tokens_out in calls),
        sum(tokens + llm.max_output_tokens > llm.context_window for _, tokens, _ in calls),
    )
