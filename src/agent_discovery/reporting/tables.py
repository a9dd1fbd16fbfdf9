"""Result tables as a reader sees them: Markdown and LaTeX made from the CSV."""

import math
import re
from functools import partial
from numbers import Integral

import pandas as pd
from tabulate import LATEX_ESCAPE_RULES, tabulate

from agent_discovery.errors import printable
from agent_discovery.files import DOLLARS

DECIMALS = 4
SMALL, LARGE = 0.001, 1000  # outside of these, four decimals say too little or too much
MOST_COLUMNS = 9
# GitHub makes a link of https:// and www., so these are special too.
MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~&$]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
LATEX_OPTION = re.compile(r"^( *)([\[*])", re.MULTILINE)  # what a row's end would take as its own


def presented(table: pd.DataFrame) -> pd.DataFrame:
    """A result table as text cells: intervals beside their value, bounds over ties in one column.

    A table with more than `MOST_COLUMNS` columns and one row a method (or a method and size N) is
    turned, so that a row is a measure; where that has too many columns too, size by size.
    """
    cells = pd.DataFrame(
        {name: table[name].map(partial(_cell, name=str(name))).astype(str) for name in table}
    )
    for name in table:
        if f"{name}_low" in cells:
            low, high = cells.pop(f"{name}_low"), cells.pop(f"{name}_high")
            cells[name] = cells[name] + (" [" + low + ", " + high + "]").where(low != "", "")
        if f"{name}_worst" in cells:
            worst, best = cells.pop(f"{name}_worst"), cells.pop(f"{name}_best")
            place = cells.columns.get_loc(name) + 1
            cells.insert(place, f"{name}, any order of ties", worst + " to " + best)
    return _turned(cells) if len(cells.columns) > MOST_COLUMNS else cells


def _turned(cells: pd.DataFrame) -> pd.DataFrame:
    """The table with a column for each method (and N), if they tell its rows apart."""
    if "method" not in cells:
        return cells
    if cells["method"].is_unique:
        return _by_measure(cells, cells["method"])
    if "n" not in cells or cells.duplicated(["n", "method"]).any():
        return cells
    if len(cells) < MOST_COLUMNS:
        return _by_measure(cells, cells["method"] + ", N = " + cells["n"])
    blocks = []
    for n, rows in cells.groupby("n", sort=False):
        block = _by_measure(rows.drop(columns="n"), rows["method"])
        block.insert(0, "N", n)
        blocks.append(block)
    return pd.concat(blocks, ignore_index=True).fillna("")


def _by_measure(cells: pd.DataFrame, heads: pd.Series) -> pd.DataFrame:
    turned = cells.drop(columns=["method"]).T.set_axis(heads, axis="columns")
    return turned.rename_axis(index="", columns=None).reset_index(names="")


def _cell(value: object, name: str = "") -> str:
    if value is None or value != value:  # NaN is the only value that differs from itself
        return ""
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, Integral):
        return f"{value:,}"
    if not math.isfinite(value):
        return str(value)
    if abs(value) > 1 and value == int(value):
        return f"{value:,.0f}"
    if 0 < abs(value) < SMALL or DOLLARS.search(name):
        return f"{value:.3g}"
    return f"{value:,.{DECIMALS}f}" if abs(value) < LARGE else f"{value:,.1f}"


def to_markdown(cells: pd.DataFrame, note: str = "") -> str:
    """A GitHub Markdown table, the note below; what cells say is shown as it is, not as markup."""
    cells = cells.rename(columns=_line).map(_line)
    text = _rendered(cells.rename(columns=_inert).map(_inert), "github")
    return text + (f"\n{_inert(_line(note))}\n" if note else "")


def to_latex(cells: pd.DataFrame, note: str = "") -> str:
    """A LaTeX tabular (needs the booktabs package), the note below; tabulate escapes the cells."""
    text = _rendered(cells.rename(columns=_line).map(_line), "latex_booktabs")
    escaped = "".join(LATEX_ESCAPE_RULES.get(c, c) for c in _line(note))
    return LATEX_OPTION.sub(r"\1{}\2", text) + (
        f"\n{{\\footnotesize {escaped}\\par}}\n" if note else ""
    )


def _rendered(cells: pd.DataFrame, form: str) -> str:
    rows = cells.to_numpy().tolist()
    return tabulate(rows, list(cells.columns), tablefmt=form, disable_numparse=True) + "\n"


def _line(text: str) -> str:
    """`text` on one line, without characters that a reader cannot see."""
    return printable(" ".join(text.split()))


def _inert(text: str) -> str:
    return MARKDOWN_SPECIAL.sub(r"\\\1", text)
