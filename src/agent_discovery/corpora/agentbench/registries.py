"""The registries of RQ1: nested, for each query its own, the target in every one."""

from collections.abc import Sequence

from agent_discovery.corpora.agentbench.generator import SEED
from agent_discovery.corpora.registries import displayed, growth_order

SIZES = (10, 100, 500, 1000)


def nested_registries(
    ids: Sequence[str],
    qid: str,
    target: str,
    sizes: Sequence[int] = SIZES,
    seed: int = SEED,
) -> dict[int, list[str]]:
    """The registry of a query at each size, in the order in which the full catalog shows it.

    ids: all card ids, in any order. The recipe is RQ3's, with the target as the relevant card: so
    every registry holds the smaller ones, and the target's place tells nothing.
    """
    if target not in ids or max(sizes) > len(ids):
        raise ValueError(f"{qid}: {target} and {max(sizes)} cards are not among {len(ids)}")
    grown = growth_order(sorted(ids), qid, [target], seed)
    return {size: displayed(grown, qid, size, seed) for size in sizes}
