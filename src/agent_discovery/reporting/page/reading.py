"""Reading a finding's numbers: a value that is not there ends the finding, never the page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from agent_discovery.reporting.page.results import Results
from agent_discovery.reporting.tables import written


@dataclass(frozen=True)
class Finding:
    """A finding: a head, a sentence or two, and the tables that its numbers are from."""

    head: str
    text: str
    sources: tuple[str, ...]


Found = Callable[[Results], Finding | None]


class Missing(Exception):
    """A table, row or value that a finding needs is not there."""


def found(results: Results, wanted: Sequence[Found]) -> list[Finding]:
    """The findings that the tables there are can tell."""
    told = []
    for finding in wanted:
        try:
            told.append(finding(results))
        except Missing:
            continue
    return [finding for finding in told if finding is not None]


def table_of(results: Results, name: str) -> pd.DataFrame:
    """A result table that has rows."""
    table = results.table(name)
    if table is None or table.empty:
        raise Missing(name)
    return table


def row_of(table: pd.DataFrame, **wanted: object) -> pd.Series:
    """The one row with these values."""
    for column, value in wanted.items():
        table = table[table[column] == value] if column in table else table[:0]
    if len(table) != 1:
        raise Missing(str(wanted))
    return table.iloc[0]


def value_of(row: pd.Series, column: str) -> str:
    """A row's value as text, with the digits of its column."""
    if row.get(column) is None or pd.isna(row[column]):
        raise Missing(column)
    return written(row[column], column)


def published_of(results: Results, claim: str) -> str:
    """The published figure of a claim, as text."""
    if claim not in results.published:
        raise Missing(claim)
    return results.published[claim]


def percent(share: float) -> str:
    """A share as a percentage."""
    return f"{100 * share:.1f}%"


def with_interval(row: pd.Series, column: str) -> str:
    """A row's value with its interval, as text."""
    low, high = (written(row[f"{column}{end}"], column) for end in ("_low", "_high"))
    return f"{value_of(row, column)} [{low}, {high}]"


def order_of(values: dict[str, float]) -> str:
    """Names from the greatest value to the smallest."""
    return " above ".join(sorted(values, key=lambda name: -values[name]))


def deepest(table: pd.DataFrame, kind: str) -> str:
    """The measure of a kind at the greatest cutoff."""
    names = [name for name in table if name.startswith(f"{kind}@") and name.count("_") == 0]
    if not names:
        raise Missing(kind)
    return max(names, key=lambda name: int(name.split("@")[1]))
