"""The figures in docs/reliability.md: `python tests/reliability_figures.py`.

From golden tables, and a test compares the page with what this makes; and what `make torture`
counted, if it was run here.
"""

import re
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/reliability.md"
PART = re.compile(
    r"(?P<head><!-- figures: (?P<table>\S+), (?P<measure>\w+) -->\n).*?"
    r"(?P<tail><!-- end of figures -->)",
    re.DOTALL,
)
FEW = 20  # requests, from which a share says too little
TORTURE = ROOT / "build/torture.md"
TORTURED = re.compile(
    r"(?P<head><!-- make torture -->\n).*?(?P<tail><!-- end of make torture -->)", re.DOTALL
)


def figures(name: str, measure: str) -> str:
    """A Markdown table of one measure of a golden table, a row an attack or method.

    The stand-in takes both prompts alike, so one is shown; of an LLM both are.
    """
    table = pd.read_csv(ROOT / "results/golden" / name, keep_default_na=False)
    table = table[table["attack"] != "none"]
    rows, columns = "attack", "method"
    if "view" in table:
        ours = (table["view"] == "pool") & table["encoder"].isin(["", "all-MiniLM-L6-v2"])
        table, rows, columns = table[ours], "method", "attack"
    if "prompt" in table and "stand-in" in table["arbiter"].iloc[0]:
        both = table.groupby([rows, columns])[measure].nunique()
        assert (both == 1).all(), "the prompts differ: show both"
        table = table[table["prompt"] == "plain"]
    elif "prompt" in table:
        table, columns = table.assign(how=table["method"] + ", " + table["prompt"]), "how"
    cell = count if int(table["queries"].iloc[0]) <= FEW and f"{measure}_low" in table else share
    table = table.assign(cell=[cell(row, measure) for _, row in table.iterrows()])
    shown = table.pivot(index=rows, columns=columns, values="cell")
    shown = shown.loc[table[rows].drop_duplicates(), table[columns].drop_duplicates()]
    lines = ["| | " + " | ".join(shown.columns) + " |", "| --- " * (len(shown.columns) + 1) + "|"]
    for head, values in shown.iterrows():
        lines.append(f"| {head} | " + " | ".join(values) + " |")
    return "\n".join(lines) + "\n"


def share(row: pd.Series, measure: str) -> str:
    """A share of many requests."""
    return f"{float(row[measure]):.2f}"


def count(row: pd.Series, measure: str) -> str:
    """A share of few requests: how many of how many, and the interval."""
    if float(row["in_pool"]) == 0:
        return "not shown"
    value, low, high = (float(row[f"{measure}{end}"]) for end in ("", "_low", "_high"))
    total = int(row["queries"])
    return f"{value * total:.0f} of {total} ({low:.2f} to {high:.2f})"


def filled(text: str) -> str:
    """The page with all its figures made anew."""
    return PART.sub(
        lambda part: part["head"] + figures(part["table"], part["measure"]) + part["tail"], text
    )


def tortured(text: str, table: str) -> str:
    """The page with the table that `make torture` wrote."""
    return TORTURED.sub(lambda part: part["head"] + table + part["tail"], text)


if __name__ == "__main__":
    page = filled(PAGE.read_text(encoding="utf-8"))
    if TORTURE.exists():
        page = tortured(page, TORTURE.read_text(encoding="utf-8"))
    PAGE.write_text(page, encoding="utf-8")
