"""What is to be arbitrated, and in which order."""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from agent_discovery.arbitration.prompt import Candidate


class Task(NamedTuple):
    """One selection: a query, and the pool that `method` made of a registry of `n` cards.

    k is the budget, and None for a method that has none (the full catalog). The candidates stand
    in the order in which the arbiter is to see them; none at all means no call.
    """

    qid: str
    query: str
    n: int
    method: str
    k: int | None
    candidates: Sequence[Candidate]


def alternating(tasks: Iterable[Task]) -> list[Task]:
    """RQ1's order: (query, n) pairs as they come, the method that goes first alternating."""
    ordered = []
    for number, group in enumerate(_by_pair(tasks)):
        first = number % len(group)
        ordered += group[first:] + group[:first]
    return ordered


def shuffled(tasks: Iterable[Task], seed: int) -> list[Task]:
    """RQ3's order: (query, n) pairs as they come, the methods of each shuffled by its own seed.

    Within a pair the methods must come as [full catalog, SSR, BM25] for the published order.
    """
    ordered = []
    for group in _by_pair(tasks):
        random.Random(f"{seed}:{group[0].qid}:{group[0].n}:method-order").shuffle(group)
        ordered += group
    return ordered


def _by_pair(tasks: Iterable[Task]) -> list[list[Task]]:
    pairs: defaultdict[tuple[str, int], list[Task]] = defaultdict(list)
    for task in tasks:
        pairs[task.qid, task.n].append(task)
    return list(pairs.values())


def tasks_of(
    conditions: Iterable[tuple[str, int, str]],
    pools: Mapping[tuple[str, int, str], Sequence[str]],
    queries: Mapping[str, str],
    cards: Mapping[str, Candidate],
    budgets: Mapping[str, int],
) -> list[Task]:
    """The tasks of some (qid, n, method), in that order.

    pools: the card ids of each condition, in display order; a condition that is not there has an
    empty pool. queries: text by qid; cards: by id; budgets: k by method, for those that have one.
    """
    return [
        Task(
            qid,
            queries[qid],
            n,
            method,
            budgets.get(method),
            [cards[i] for i in pools.get(key, ())],
        )
        for key in conditions
        for qid, n, method in [key]
    ]
