"""Result tables as a reader sees them: Markdown and LaTeX made from the CSV."""

import math
import re
from functools import partial
from numbers import Integral

import pandas as pd
from tabulate import LATEX_ESCAPE_RULES, tabulate

from agent_discovery.errors import printable
from agent_discovery.reporting import digits, legends
from agent_discovery.reporting.columns import NONE, column, label
from agent_discovery.reporting.digits import WRITTEN
from agent_discovery.reporting.legends import constants

DECIMALS = 4
SMALL, LARGE = 0.001, 1000  # outside of these, four decimals say too little or too much
MOST_COLUMNS = 9
ENDS = ("_low", "_high", "_worst", "_best")
TURNED_HEAD = "Measure"
# GitHub makes a link of https:// and www., so these are special too.
MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~&$]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
LATEX_OPTION = re.compile(r"^( *)([\[*])", re.MULTILINE)  # what a row's end would take as its own


def presented(table: pd.DataFrame) -> pd.DataFrame:
    """A result table as text cells: intervals beside their value, bounds over ties in one column.

    What is the same in all rows, and columns without any value, are left out (`legend` has the
    former). A table with more than `MOST_COLUMNS` columns and one row a method (or a method and
    size N) is turned, so that a row is a measure; where that has too many columns too, size by
    size. A table that compares pairs of methods is not.
    """
    cells = with_intervals(table)
    for name in [name for name in cells if f"{name}_worst" in cells]:
        worst, best = cells.pop(f"{name}_worst"), cells.pop(f"{name}_best")
        place = cells.columns.get_loc(name) + 1
        cells.insert(place, f"{label(name)}, any order of ties", worst + " to " + best)
    gone = [name for name in cells if len(cells) and (cells[name] == "").all()]
    cells = cells.drop(columns=[*gone, *(name for name in constants(table) if name not in gone)])
    wide = len(cells.columns) > MOST_COLUMNS and len(cells) and "baseline" not in cells
    cells = (_turned(cells) if wide else cells).rename(columns=label)
    return cells.replace("", NONE)


def with_intervals(table: pd.DataFrame) -> pd.DataFrame:
    """The table's values as text, each with its interval; columns keep their names."""
    cells = _cells(table)
    for name in [name for name in cells if f"{name}_low" in cells]:
        low, high = cells.pop(f"{name}_low"), cells.pop(f"{name}_high")
        told = (low != "") & (low != high)  # an interval narrower than its digits says nothing
        cells[name] = cells[name] + (" [" + low + ", " + high + "]").where(told, "")
    return cells


def legend(table: pd.DataFrame, note: str = "") -> str:
    """What explains a result table, for below it; the note comes last."""
    heads = [str(name) for name in table if not str(name).endswith(ENDS)]
    told = legends.legend(table, heads, lambda name, value: written(value, name))
    return " ".join(part for part in (told, note) if part)


def _cells(table: pd.DataFrame) -> pd.DataFrame:
    """The table's values as text, each column with its own digits; missing values are empty."""
    cells = {}
    for name in table:
        base = re.sub("|".join(f"{end}$" for end in ENDS), "", str(name))
        ends = (table.get(f"{base}_low"), table.get(f"{base}_high"))
        kind = known.kind if (known := column(base)) else ""
        decimals = digits.decimals(kind, *(None if end is None else end for end in ends))
        cells[name] = table[name].map(partial(written, name=base, decimals=decimals)).astype(str)
    if {"figure", "value"} <= cells.keys():  # a table of named figures
        pairs = zip(table["figure"], table["value"], strict=True)
        cells["value"] = [written(value, str(figure)) for figure, value in pairs]
    return pd.DataFrame(cells)


def _turned(cells: pd.DataFrame) -> pd.DataFrame:
    """The table with a column for each method (and N), if they tell its rows apart."""
    if "method" not in cells:
        return cells
    if cells["method"].is_unique:
        return _by_measure(cells, cells["method"])
    if "n" not in cells or cells.duplicated(["n", "method"]).any():
        return cells
    if len(cells) < MOST_COLUMNS:
        return _by_measure(cells.drop(columns="n"), cells["method"] + ", N = " + cells["n"])
    blocks = []
    for n, rows in cells.groupby("n", sort=False):
        block = _by_measure(rows.drop(columns="n"), rows["method"])
        block.insert(0, "N", n)
        blocks.append(block)
    return pd.concat(blocks, ignore_index=True).fillna("")


def _by_measure(cells: pd.DataFrame, heads: pd.Series) -> pd.DataFrame:
    turned = cells.drop(columns=["method"]).rename(columns=label).T
    turned = turned.set_axis(heads, axis="columns")
    return turned.rename_axis(index="", columns=None).reset_index(names=TURNED_HEAD)


def written(value: object, name: str = "", decimals: int | None = None) -> str:
    """A value as text, with the digits of the column `name`; nothing for a missing one."""
    known = column(name)
    if value is None or value != value:  # NaN is the only value that differs from itself
        return ""
    if isinstance(value, str):
        return label(value) if name in ("measure", "figure") else value
    if known and known.kind in WRITTEN and math.isfinite(value):
        shown = digits.decimals(known.kind) if decimals is None else decimals
        return WRITTEN[known.kind](float(value), shown)
    return _number(value)


def _number(value: bool | float) -> str:
    """A number of a column that has no digits of its own."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, Integral):
        return f"{value:,}"
    if not math.isfinite(value):
        return str(value)
    if abs(value) > 1 and value == int(value):
        return f"{value:,.0f}"
    if 0 < abs(value) < SMALL:
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
    if cells.empty:  # tabulate declares no column where there is no row
        text = text.replace("{tabular}{}", f"{{tabular}}{{{'l' * cells.shape[1]}}}", 1)
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
