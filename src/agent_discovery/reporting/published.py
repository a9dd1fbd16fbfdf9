"""Published figures beside ours, row by row."""

from collections.abc import Sequence

import pandas as pd

from agent_discovery.reporting.verdicts import Claim

RECALL = "candidate_recall"
COLUMNS = ["corpus", "n", "method", "k", "queries", RECALL, f"{RECALL}_low", f"{RECALL}_high"]


def with_published(table: pd.DataFrame, claims: Sequence[Claim], name: str) -> pd.DataFrame:
    """Candidate recall of a table's rows with the paper's beside it, empty where it states none.

    name: the table as claims name it. `published_on` is the corpus that the paper's is of.
    """
    shown = table[COLUMNS].copy()
    shown["published"], shown["published_on"] = float("nan"), None
    for claim in claims:
        if claim.kind != "figure" or (claim.ours.table, claim.ours.column) != (name, RECALL):
            continue
        same = (shown[list(claim.ours.row)] == pd.Series(claim.ours.row)).all(axis="columns")
        shown.loc[same, "published"] = claim.value
        shown.loc[same, "published_on"] = claim.needs["corpus"]
    return shown
