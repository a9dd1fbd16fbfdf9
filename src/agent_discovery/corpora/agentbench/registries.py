"""The registries of RQ1: nested, for each query its own, the target in every one."""

import random
from collections.abc import Sequence

from agent_discovery.corpora.agentbench.generator import SEED

SIZES = (10, 100, 500, 1000)


def nested_registries(
    ids: Sequence[str],
    qid: str,
    target: str,
    sizes: Sequence[int] = SIZES,
    seed: int = SEED,
) -> dict[int, list[str]]:
    """The registry of a query at each size, in the order in which the full catalog shows it.

    ids: all card ids. One order of the others is drawn for a query, and size N takes the target
    and the first N - 1: so every registry holds the smaller ones. The order shown is drawn for
    each size, so that the target's place tells nothing.
    """
    others = sorted(card_id for card_id in ids if card_id != target)
    if len(others) == len(ids) or max(sizes) > len(ids):
        raise ValueError(f"{qid}: {target} and {max(sizes)} cards are not among {len(ids)}")
    random.Random(f"{seed}:{qid}:negative-order").shuffle(others)
    registries = {}
    for size in sizes:
        shown = [target, *others[: size - 1]]
        random.Random(f"{seed}:{qid}:display:{size}").shuffle(shown)
        registries[size] = shown
    return registries
