"""What stands below a result table: what its rows share, its columns, intervals, abbreviations."""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd

from agent_discovery.reporting.columns import NONE, column, label

ABBREVIATIONS = {
    "SSR": "Structural Signal Retriever",
    "BM25": "the standard lexical ranking function",
    "TF-IDF": "term frequency times inverse document frequency",
    "ISI": "Inverted Signal Index",
    "IDF": "inverse document frequency",
    "RRF": "reciprocal rank fusion",
    "wRRF": "weighted reciprocal rank fusion",
    "LLM": "large language model",
}
WORDS = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, ABBREVIATIONS))})(?![\w-])")
# What is the same in all rows of a table stands below it once.
CONSTANT = ("corpus", "arbiter", "queries", "measure", "tests", "cards")


def corpus_note(about: str | Path) -> str:
    """What stands below every table of a corpus that is not what its name says; else nothing.

    about: the corpus's corpus.json.
    """
    corpus = json.loads(Path(about).read_text(encoding="utf-8"))
    return "" if corpus["real"] else "; ".join(corpus["notes"])


def constants(table: pd.DataFrame) -> dict[str, object]:
    """The columns among `CONSTANT` that say the same in every row, of two rows or more."""
    return {
        name: table[name].iloc[0]
        for name in CONSTANT
        if name in table and len(table) > 1 and table[name].nunique(dropna=False) == 1
    }


def legend(table: pd.DataFrame, heads: Iterable[str], written: Callable[[str, object], str]) -> str:
    """What stands below a table: what all rows share, its columns, intervals and abbreviations.

    heads: the table's own names; written: a cell's text by column name and value.
    """
    shared = [f"{label(name)}: {written(name, value)}" for name, value in constants(table).items()]
    told = [f"All rows: {'; '.join(shared)}."] if shared else []
    told += ["No rows."] if table.empty else []
    texts = [value for name in table for value in table[name].unique() if isinstance(value, str)]
    named = {str(value) for name in ("measure", "figure") if name in table for value in table[name]}
    shown = [known for name in [*heads, *sorted(named)] if (known := column(name))]
    told += [known.legend for known in shown if known.legend]
    if any(str(name).endswith("_low") for name in table):
        told.append("[low, high]: 95% interval.")
    if any(str(name).endswith("_worst") for name in table):
        told.append("Any order of ties: the least and greatest that an order of ties could give.")
    if any(table[name].isna().any() and not table[name].isna().all() for name in heads):
        told.append(f"{NONE}: none, or not defined.")
    words = " ".join([*texts, *(known.label for known in shown)])
    there = set(WORDS.findall(words))
    told += [f"{short}: {full}." for short, full in ABBREVIATIONS.items() if short in there]
    return " ".join(dict.fromkeys(told))
