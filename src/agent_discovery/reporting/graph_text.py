"""The tables of Agent-as-a-Graph as a reader sees them: a part a view, the measures at K."""

from collections.abc import Iterator

import pandas as pd

ENDS = ("", "_low", "_high")
# The views in a few words; evaluation/graph_views.py defines them.
MEANINGS = {
    "direct": "the question is asked, its first K agents answer the task",
    "step": "each step is asked, and judged against the whole task",
    "pool": "the lists of a task's steps merged, the first K agents answer the task",
    "union": "all agents among the first K of any step of a task, which keeps no budget",
    "both": "as pool, with the question's list first",
    "route": "as pool, of the requests that a real model wrote for the task",
}


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
        meaning = f": {MEANINGS[view]}" if view in MEANINGS else ""
        yield f"### {view}{meaning}{baseline}\n\n", shown.dropna(axis="columns", how="all")
