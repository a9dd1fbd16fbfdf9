"""What a corpus of Agent-as-a-Graph is like: counts, and kinds of labels compared."""

from collections.abc import Mapping

import pandas as pd


def statistics_table(
    nodes: pd.DataFrame, queries: pd.DataFrame, labels: Mapping[str, pd.DataFrame], tools: int
) -> pd.DataFrame:
    """One row for each kind of agent labels; averages are over the queries that have such labels.

    nodes: kind; queries: qid, steps; labels: qid, id, grade of agents by kind, the first being the
    primary ones, with which the others are compared; tools: labelled (query, tool) pairs.
    `covers_primary`: the share of a query's primary agents that this kind has too, mean over
    queries; `within_primary`: the share of this kind's agents that are primary.
    """
    counts = nodes["kind"].value_counts()
    steps = queries["steps"].map(len)
    primary = _pairs(next(iter(labels.values())))
    rows = []
    for name, judged in labels.items():
        pairs = _pairs(judged)
        rows.append(
            {
                "labels": name,
                "agents": counts.get("agent", 0),
                "tools": counts.get("tool", 0),
                "queries": len(queries),
                "labelled_queries": len({qid for qid, _ in pairs}),
                "steps_a_query": steps.mean(),
                "tools_a_query": tools / len(queries) if tools else None,
                "agents_a_query": len(pairs) / max(1, len({qid for qid, _ in pairs})),
                "covers_primary": _mean_share(primary, pairs),
                "within_primary": _mean_share(pairs, primary),
            }
        )
    return pd.DataFrame(rows)


def _pairs(judged: pd.DataFrame) -> set[tuple[str, str]]:
    positive = judged[judged["grade"] > 0]
    return set(zip(positive["qid"], positive["id"], strict=True))


def _mean_share(some: set[tuple[str, str]], others: set[tuple[str, str]]) -> float | None:
    """The share of a query's `some` that are in `others`, mean over the queries that have any."""
    found: dict[str, list[bool]] = {}
    for pair in some:
        found.setdefault(pair[0], []).append(pair in others)
    shares = [sum(flags) / len(flags) for _, flags in sorted(found.items())]
    return sum(shares) / len(shares) if shares else None
