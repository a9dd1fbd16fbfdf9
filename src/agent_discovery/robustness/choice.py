"""What an arbiter makes of pools with adversarial cards: the tasks, and their records."""

from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from agent_discovery.arbitration.arbitrate import arbitrate
from agent_discovery.arbitration.prompt import Candidate
from agent_discovery.arbitration.task import Task
from agent_discovery.config import Llm
from agent_discovery.config_llm import PromptForm
from agent_discovery.retrieval.pools import FULL_CATALOG
from agent_discovery.robustness.attacks import ATTACKS, NO_ATTACK

CONDITION = ["qid", "n", "method", "attack"]


def choice_tasks(
    texts: Mapping[str, str],
    cards: Iterable[Candidate],
    pools: pd.DataFrame,
    k: int,
    methods: Collection[str],
    kinds: Collection[str],
) -> list[tuple[Task, str]]:
    """Each task with its attack. texts: by qid; pools: as `robustness_pools` makes them; methods:
    whose pools; kinds: of attacks, besides the pools without any.

    A pool that is the same with and without an attack is the same prompt, which is asked once. The
    tasks of a request and method follow each other: a server that keeps a prompt's beginning reads
    what they share once.
    """
    shown = {card.id: card for card in cards}
    attacks = {NO_ATTACK, *(attack.name for attack in ATTACKS if attack.kind in kinds)}
    pools = pools[pools["method"].isin(methods) & pools["attack"].isin(attacks)]
    tasks: dict[tuple, list[tuple[Task, str]]] = {}
    for key, rows in pools.groupby(CONDITION, sort=False):
        qid, n, method, attack = key
        pool = [shown[card_id] for card_id in rows.sort_values("position")["id"]]
        depth = None if method == FULL_CATALOG else k
        task = Task(qid, texts[qid], n, method, depth, pool)
        tasks.setdefault((qid, n, method), []).append((task, attack))
    return list(chain.from_iterable(tasks.values()))


def choose(
    tasks: Iterable[tuple[Task, str]], llm: Llm, form: PromptForm, ledger: str | Path
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The `arbitration` records of each task with `attack` and `prompt`, and who answered.

    Raises InputError as `arbitrate` does.
    """
    names = {}
    renamed = []
    for task, attack in tasks:
        condition = f"{task.method}; {attack}"  # tells the records of a request apart
        names[condition] = (task.method, attack)
        renamed.append(task._replace(method=condition))
    done = arbitrate(renamed, llm.model_copy(update={"prompt": form}), ledger, list)
    records = done.records.to_pandas()
    attacks = records["method"].map(lambda condition: names[condition][1])
    methods = records["method"].map(lambda condition: names[condition][0])
    return records.assign(method=methods, attack=attacks, prompt=form), done.facts
