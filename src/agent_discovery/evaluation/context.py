"""Where the full catalog fails: the registry size at which its prompt passes a context window."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from agent_discovery.arbitration.prompt import (
    LINE_START,
    Candidate,
    candidate_line,
    messages_for,
)
from agent_discovery.arbitration.tokens import chat_tokens, count
from agent_discovery.config_llm import PromptForm


def card_tokens(candidate: Candidate, form: PromptForm = "plain") -> int:
    """The o200k tokens of a candidate's line, its index apart. form: llm.prompt."""
    line = candidate_line(1, candidate.name, candidate.description, form)
    return count(line) - index_tokens(1)


def index_tokens(index: int) -> int:
    """The o200k tokens of the beginning of a candidate's line, up to its index."""
    return count(f"{LINE_START}{index}")


def prompt_tokens(
    query: str,
    tokens_of_cards: np.ndarray,
    tokens_of_indexes: np.ndarray,
    form: PromptForm = "plain",
) -> np.ndarray:
    """Input tokens of the full catalog's prompt at every N from 1 up. Shape (cards,), int64.

    tokens_of_cards: `card_tokens` in the order in which the query's registry grows;
    tokens_of_indexes: `index_tokens` from 1 up. Exact, in whatever order the cards are shown:
    o200k cuts a prompt before and after each line's index, so its counts add up.
    """
    around = chat_tokens(messages_for(query, [], form))
    return around + np.cumsum(tokens_of_cards + tokens_of_indexes)


def failure_points(
    prompts: Iterable[np.ndarray], windows: Sequence[int], output_tokens: int
) -> pd.DataFrame:
    """The smallest N whose prompt and answer pass each context window, over the queries.

    prompts: each query's `prompt_tokens`, rising in N, so that a bisection finds the place;
    output_tokens: what an answer may take. Queries whose largest registry still fits are not among
    `queries_failing`, nor in the sizes. The median is the lower one, a size that fails.
    """
    prompts = list(prompts)
    rows = []
    for window in sorted(windows):
        places = [
            int(np.searchsorted(tokens, window - output_tokens, "right")) for tokens in prompts
        ]
        fails = pd.Series(
            [
                place + 1
                for place, tokens in zip(places, prompts, strict=True)
                if place < len(tokens)
            ]
        )
        rows.append(
            {
                "context_window": window,
                "queries": len(prompts),
                "cards": max(map(len, prompts)),
                "queries_failing": len(fails),
                "fails_at_n_smallest": fails.min(),
                "fails_at_n_median": fails.quantile(0.5, interpolation="lower"),
                "fails_at_n_largest": fails.max(),
            }
        )
    table = pd.DataFrame(rows)
    return table.astype({name: "Int64" for name in table if name.startswith("fails_at_n")})


def tokens_by_size(prompts: Sequence[np.ndarray], sizes: Sequence[int]) -> pd.DataFrame:
    """Input tokens of the full catalog's prompt at some sizes: mean, smallest and largest."""
    at = {n: np.array([tokens[n - 1] for tokens in prompts]) for n in sizes}
    rows = [(n, tokens.mean(), tokens.min(), tokens.max()) for n, tokens in at.items()]
    names = ["n", "mean_input_tokens", "smallest_input_tokens", "largest_input_tokens"]
    return pd.DataFrame(rows, columns=names)
