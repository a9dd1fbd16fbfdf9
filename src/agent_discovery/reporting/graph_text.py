"""The tables of Agent-as-a-Graph as a reader sees them: a part a view, the measures at K."""

from collections.abc import Iterator

import pandas as pd

ENDS = ("", "_low", "_high")


def parts(table: pd.DataFrame, k: int) -> Iterator[tuple[str, pd.DataFrame]]:
    """(heading, rows) of each view, or the whole table without a heading where it has no views.

    Of measures at several cutoffs only those at K are shown, and of conclusions those that change
    with the labels; the CSV has them all. Columns without a value in a part are left out of it.
    """
    measures = [name for name in table if "@" in name]
    kept = {f"{kind}@{k}{end}" for kind in ("recall", "map", "ndcg") for end in ENDS}
    table = table.drop(columns=[name for name in measures if name not in kept])
    if "changes" in table:
        table = table[table["changes"] | table["others_differ"]]
        if table.empty:
            yield "No conclusion changes with the labels.\n\n", table
            return
    if "view" not in table:
        yield "", table
        return
    for view, rows in table.groupby("view", sort=False):
        baseline = f", against {rows['baseline'].iloc[0]}" if "baseline" in rows else ""
        shown = rows.drop(columns=["view", "baseline"], errors="ignore")
        yield f"### {view}{baseline}\n\n", shown.dropna(axis="columns", how="all")
