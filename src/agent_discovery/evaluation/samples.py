"""Which queries are evaluated, and the common sample of them (SSR, RQ2)."""

import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from agent_discovery.errors import InputError


def eligible_queries(qrels: pd.DataFrame) -> list[str]:
    """Ids of the queries with a positive judgment, in the order of first appearance in `qrels`."""
    found = qrels.loc[qrels["grade"] > 0, "qid"].drop_duplicates().tolist()
    if not found:
        raise InputError(
            "no query has a positive judgment: this corpus can be searched, not scored"
        )
    return found


def relevant_cards(qrels: pd.DataFrame) -> dict[str, list[str]]:
    """The positively judged card ids of each query."""
    positive = qrels[qrels["grade"] > 0]
    return positive.groupby("qid", sort=False)["id"].agg(list).to_dict()


def relevant_pairs(relevant: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """The same as one row a judgment: qid, id."""
    pairs = [(qid, card) for qid, cards in relevant.items() for card in cards]
    return pd.DataFrame(pairs, columns=["qid", "id"])


def common_sample(eligible: Sequence[str], size: int, seed: int) -> list[str]:
    """The queries for latency and full-scan equivalence; all, if there are fewer than `size`."""
    count = min(size, len(eligible))
    places = sorted(random.Random(seed).sample(range(len(eligible)), count))
    return [eligible[place] for place in places]


def selected_queries(
    queries: pd.DataFrame, qrels: pd.DataFrame, sample: tuple[int, int] | None
) -> list[tuple[str, str]]:
    """(qid, text) of all eligible queries, or of the common sample of (size, seed)."""
    qids = eligible_queries(qrels)
    if sample is not None:
        qids = common_sample(qids, *sample)
    return texts_of_queries(queries, qids)


def read_sample(
    queries: str | Path, qrels: str | Path, size: int, seed: int
) -> list[tuple[str, str]]:
    """(qid, text) of the common sample, from a corpus's Parquet files."""
    return selected_queries(pd.read_parquet(queries), pd.read_parquet(qrels), (size, seed))


def texts_of_queries(queries: pd.DataFrame, qids: Iterable[str]) -> list[tuple[str, str]]:
    """(qid, text) of some queries, in their order."""
    texts = dict(zip(queries["qid"], queries["text"], strict=True))
    return [(qid, texts[qid]) for qid in qids]
