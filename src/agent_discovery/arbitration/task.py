"""What is to be arbitrated, and in which order."""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from agent_discovery.arbitration.prompt import Candidate

CONDITION = ["qid", "n", "method"]


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


def read_tasks(
    queries: str | Path,
    cards: str | Path,
    pools: str | Path,
    conditions: str | Path,
    budgets: Mapping[str, int],
) -> list[Task]:
    """The tasks that some Parquet files hold, in the order of `conditions`.

    queries, cards and pools are as in the contracts; conditions holds each qid, n and method, so
    that an empty pool is a task too; budgets: k by method, for the methods that have one, of whose
    pools the first k are shown.
    """
    texts = pd.read_parquet(queries).set_index("qid")["text"].to_dict()
    shown = pd.read_parquet(cards, columns=list(Candidate._fields)).itertuples(index=False)
    candidates = {card.id: Candidate(*card) for card in shown}
    pool_of = pd.read_parquet(pools).groupby(CONDITION)["id"].agg(list).to_dict()
    tasks = []
    for key in pd.read_parquet(conditions, columns=CONDITION).itertuples(index=False, name=None):
        qid, n, method = key
        pool = [candidates[card_id] for card_id in pool_of.get(key, ())]
        tasks.append(Task(qid, texts[qid], n, method, None, pool))
    return within_budgets(tasks, budgets)


def within_budgets(tasks: Iterable[Task], budgets: Mapping[str, int]) -> list[Task]:
    """The tasks with the first k candidates; budgets: k by method, others keep all of theirs."""
    return [_within(task, budgets.get(task.method)) for task in tasks]


def _within(task: Task, k: int | None) -> Task:
    return task._replace(k=k, candidates=task.candidates[:k])


def at_depths(
    tasks: Iterable[Task], methods: Iterable[str], n: int, depths: Iterable[int]
) -> list[Task]:
    """The tasks of some methods at one size, once for each budget of `depths`.

    tasks: with pools as deep as the deepest budget.
    """
    wanted = set(methods)
    chosen = [task for task in tasks if task.n == n and task.method in wanted]
    return [_within(task, k) for task in chosen for k in sorted(depths)]
