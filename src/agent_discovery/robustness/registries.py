"""Registries with one adversarial card each, and the pools that retrievers make of them."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from agent_discovery.card_store import CardStore
from agent_discovery.cards import CARDS_SCHEMA, card_batches
from agent_discovery.corpora.registries import Registry, query_sample
from agent_discovery.evaluation.samples import (
    eligible_queries,
    relevant_cards,
    texts_of_queries,
)
from agent_discovery.files import rows_table, written_aside
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.pools import both_retrievers, make_pools
from agent_discovery.retrieval.within import SsrWithin
from agent_discovery.robustness.attacks import NO_ATTACK, Goal, Known, Plant, plants

NO_CAP = 1 << 30  # more signals than any card has
SSR_UNCAPPED = "SSR, no cap"
PLANTS_SCHEMA = pa.schema([("attack", pa.string()), ("qid", pa.string()), ("id", pa.string())])


def drawn(
    queries: pd.DataFrame, qrels: pd.DataFrame, size: int, seed: int
) -> tuple[list[tuple[str, str]], list[str]]:
    """The evaluated requests as (qid, text), and the texts of all others that are judged."""
    eligible = eligible_queries(qrels)
    sample = query_sample(eligible, size, seed)
    others = sorted(set(eligible) - set(sample))
    return texts_of_queries(queries, sample), [
        text for _, text in texts_of_queries(queries, others)
    ]


def planted_cards(
    store: CardStore, queries: pd.DataFrame, qrels: pd.DataFrame, size: int, seed: int
) -> list[Plant]:
    """Every adversarial card for a registry and a sample of its requests."""
    cards = {card.id: card for _, card in store.cards(range(len(store)))}
    evaluated, others = drawn(queries, qrels, size, seed)
    relevant = relevant_cards(qrels)
    goals = [Goal(qid, text, cards[min(relevant[qid])]) for qid, text in evaluated]
    return plants(Known.of(cards.values(), others), goals)


def write_planted(path: str | Path, store: CardStore, planted: Sequence[Plant]) -> None:
    """A cards file: the registry's cards, then the adversarial ones."""
    with written_aside(path) as aside, pq.ParquetWriter(aside, CARDS_SCHEMA) as writer:
        for batch in chain(store.batches(), card_batches(plant.card for plant in planted)):
            writer.write_batch(batch)


def plants_table(planted: Sequence[Plant]) -> pa.Table:
    """`PLANTS_SCHEMA`: whose card is whose, without the cards."""
    return rows_table([(p.attack, p.qid, p.card.id) for p in planted], PLANTS_SCHEMA)


def planted(
    registries: Iterable[Registry], attack: str, ids: Mapping[str, str], seed: int
) -> Iterator[Registry]:
    """Each registry with the attack's card at a drawn place; ids: by qid. `n` stays as it was."""
    for registry in registries:
        place = random.Random(f"{seed}:{registry.qid}:{attack}:place").randrange(registry.n + 1)
        members = [*registry.ids[:place], ids[registry.qid], *registry.ids[place:]]
        yield registry._replace(ids=members)


def ids_by_query(table: pd.DataFrame, qids: Sequence[str]) -> dict[str, dict[str, str]]:
    """The adversarial card of each attack (in the table's order) for each request."""
    found = {}
    for attack, rows in table.groupby("attack", sort=False):
        if rows["qid"].isna().all():
            found[attack] = dict.fromkeys(qids, rows["id"].iloc[0])
        else:
            found[attack] = dict(zip(rows["qid"], rows["id"], strict=True))
    return found


def robustness_pools(
    registries: Sequence[Registry],
    attacks: Mapping[str, Mapping[str, str]],
    capped: str | Path,
    uncapped: str | Path,
    k: int,
    tie_break: str,
    full_catalog_up_to: int,
    seed: int,
) -> pa.Table:
    """`POOLS_SCHEMA` with `attack`: the pools without any attack, and of each attack.

    attacks: `ids_by_query`; capped and uncapped: indexes of the same cards in the same order, with
    the cap on a card's signals and without.
    """
    index = InvertedSignalIndex(capped, verify=True)
    retrievers = both_retrievers(index)
    retrievers[SSR_UNCAPPED] = SsrWithin(InvertedSignalIndex(uncapped, verify=True))
    parts = []
    for attack, ids in [(NO_ATTACK, {}), *attacks.items()]:
        some = planted(registries, attack, ids, seed) if ids else registries
        made = make_pools(index, some, retrievers, k, tie_break, full_catalog_up_to)
        column = pa.array([attack] * len(made.pools), pa.string())
        parts.append(made.pools.append_column("attack", column))
    return pa.concat_tables(parts)
