"""Why a card was returned: the matched signals, each one's IDF, and the fields it came from."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from agent_discovery.card_store import CardStore
from agent_discovery.cards import Field
from agent_discovery.errors import InputError
from agent_discovery.files import rows_table
from agent_discovery.retrieval.isi import InvertedSignalIndex, Lists
from agent_discovery.retrieval.keys import signal_of
from agent_discovery.signals import BIGRAM_JOINER, tokens

EXPLANATIONS_SCHEMA = pa.schema(
    [
        ("qid", pa.string()),
        ("id", pa.string()),
        ("signal", pa.string()),
        ("idf", pa.float64()),
        ("fields", pa.list_(pa.string())),
    ]
)


class Evidence(NamedTuple):
    """One matched signal of a returned card."""

    signal: str
    idf: float
    fields: tuple[str, ...]


def explain(
    index: InvertedSignalIndex, lists: Lists, card: int, fields: Sequence[Field]
) -> list[Evidence]:
    """The evidence for a card, by falling IDF (equal IDF: as they are added to the score).

    lists: the query's, from `index.signal_lists`; fields: the card's, for the provenance.
    """
    arrays = index.arrays
    start, end = arrays["card_offsets"][card : card + 2]
    held = np.isin(lists.keys, arrays["card_signals"][start:end])
    matched = [
        (signal_of(key, index.vocabulary), float(idf))
        for key, idf in zip(lists.keys[held], lists.idf[held], strict=True)
    ]
    origin = signal_fields(fields)
    try:
        return [Evidence(signal, idf, origin[signal]) for signal, idf in matched]
    except KeyError:
        raise InputError("the cards are not those of the index: build the index again") from None


def signal_fields(fields: Sequence[Field]) -> dict[str, tuple[str, ...]]:
    """For each unigram and bigram of a card's text, the paths of the fields that hold it.

    A bigram may straddle two fields, since it runs over the joined text; it is traced to both.
    """
    sequence = [(token, field.field) for field in fields for token in tokens(field.text)]
    origin: dict[str, dict[str, None]] = {}
    for token, path in sequence:
        origin.setdefault(token, {})[path] = None
    for (first, first_path), (second, second_path) in pairwise(sequence):
        paths = origin.setdefault(f"{first}{BIGRAM_JOINER}{second}", {})
        paths[first_path] = paths[second_path] = None
    return {signal: tuple(paths) for signal, paths in origin.items()}


def explain_run(
    index: InvertedSignalIndex, store: CardStore, texts: Mapping[str, str], run: pd.DataFrame
) -> pa.Table:
    """The evidence for every card of a run, in the run's order (`EXPLANATIONS_SCHEMA`).

    texts: the query text of each qid.
    """
    numbers = {card_id: index.card_of(card_id) for card_id in run["id"].unique()}
    evidence: dict[tuple[str, str], list[Evidence]] = {}
    wanted: dict[int, list[str]] = {}
    for qid, card_id in zip(run["qid"], run["id"], strict=True):
        wanted.setdefault(numbers[card_id], []).append(qid)
    lists = {qid: index.signal_lists(texts[qid]) for qid in run["qid"].unique()}
    for number, card in store.cards(wanted):
        for qid in wanted[number]:
            evidence[qid, card.id] = explain(index, lists[qid], number, card.fields)
    rows = [
        (qid, card_id, *signal)
        for qid, card_id in zip(run["qid"], run["id"], strict=True)
        for signal in evidence[qid, card_id]
    ]
    return rows_table(rows, EXPLANATIONS_SCHEMA)
