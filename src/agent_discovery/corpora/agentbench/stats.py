"""The benchmark's figures: Table I, and the lexical overlap of queries with their targets."""

from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd

from agent_discovery.corpora.agentbench.generator import Agents
from agent_discovery.corpora.agentbench.overlap import Overlap, overlap
from agent_discovery.corpora.agentbench.queries import BenchQuery


def table_one(bench: Agents, queries: Sequence[BenchQuery]) -> dict[str, int]:
    """Table I, counted from the cards and queries themselves."""
    twins = sum(agent.twin_of is not None for agent in bench.agents)
    return {
        "agent_cards": len(bench.agents),
        "base_cards": len(bench.agents) - twins,
        "capability_twins": twins,
        "queries": len(queries),
        "paraphrased_queries": len({query.paraphrased for query in queries}),
        "domains": len({agent.profile.domain for agent in bench.agents}),
        "skills": len({agent.profile.skill for agent in bench.agents}),
    }


def mean_overlap(bench: Agents, queries: Sequence[BenchQuery], paraphrased: bool) -> Overlap:
    """The mean lexical overlap of the queries, in one of their wordings, with their targets."""
    texts = {agent.id: agent.card.text for agent in bench.agents}
    found = [
        asdict(overlap(query.paraphrased if paraphrased else query.text, texts[query.target]))
        for query in queries
    ]
    return Overlap(**{name: sum(row[name] for row in found) / len(found) for name in found[0]})


def table_one_rows(bench: Agents, queries: Sequence[BenchQuery], paraphrased: bool) -> pd.DataFrame:
    """Table I as rows of `figure` and `value`, then the overlap of this wording of the queries."""
    found = mean_overlap(bench, queries, paraphrased)
    overlaps = {f"mean_overlap_{name}": value for name, value in asdict(found).items()}
    rows = [*table_one(bench, queries).items(), *overlaps.items()]
    return pd.DataFrame(rows, columns=["figure", "value"]).astype({"value": float})
