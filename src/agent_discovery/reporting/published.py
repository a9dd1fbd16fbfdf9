"""Published figures beside ours, row by row."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import yaml

from agent_discovery.errors import InputError
from agent_discovery.reporting.claims import Claim, Model, read_yaml

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


class PublishedEncoder(Model):
    """An encoder of a paper: who made it, what we call it if we can run it, what running needs."""

    name: str
    maker: str
    runs_as: str | None = None
    needs: str


def published_encoders(path: str | Path) -> list[PublishedEncoder]:
    """The encoders that a file of claims lists under `encoders`."""
    try:
        given = read_yaml(path)["encoders"]
        return [PublishedEncoder.model_validate(value) for value in given]
    except (OSError, ValueError, yaml.YAMLError, KeyError, TypeError):
        raise InputError(f"{path}: must be a YAML file with `encoders`") from None
