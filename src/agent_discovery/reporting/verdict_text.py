"""Verdicts as a reader sees them: digits and units of the published figures, and what to run."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from agent_discovery.reporting.claims import Claim
from agent_discovery.reporting.columns import NONE, column, label
from agent_discovery.reporting.tables import to_markdown
from agent_discovery.reporting.verdicts import APART, NOT_REAL, NOT_RUN

WHAT_IT_NEEDS = {  # what a claim may need, in words; {} is the value
    "corpus": "the collection {} (snakemake {rq} --configfile config/paper.yaml)",
    "arbiter": "{} as the arbiter (a key, and --config 'llm={{arbiter: live}}')",
    "encoder": "the encoder {}",
    "encoders": "{} encoders",
    "labels": "the {} labels",
    "full_catalog_up_to": "full catalogs up to N = {}",
    "context_window": "a context window of {} tokens",
    "k": "K = {}",
}
READING = "→: another reading of the claim above it. [low, high]: 95% interval."
UNITS = {"tokens": " tokens", "ms": " ms"}
SMALLEST_PERCENT = 0.01


def shown(table: pd.DataFrame, claims: Iterable[Claim]) -> pd.DataFrame:
    """The verdicts as text cells: id, of, rq, paper, where, claim, published, ours, verdict, note.

    table: as `verdicts.verdicts` makes it (or its CSV); a row whose claim is not given is left out.
    Readings stand after the claim that they are readings of.
    """
    rows = {row["id"]: row for row in table.to_dict("records")}
    told = [
        _row(rows[claim.id], claim) for claim in _readings_last(list(claims)) if claim.id in rows
    ]
    return pd.DataFrame(told)


def _readings_last(claims: list[Claim]) -> list[Claim]:
    order = {claim.id: place for place, claim in enumerate(claims)}
    return sorted(claims, key=lambda claim: (order[claim.of or claim.id], claim.of is not None))


def _row(row: Mapping[str, Any], claim: Claim) -> dict[str, str]:
    ours, unit = _figure(row["ours"], claim)
    low, high = (_figure(row[end], claim)[0] for end in ("low", "high"))
    interval = f" [{low}, {high}]" if low and low != high else ""
    return {
        "id": claim.id,
        "of": claim.of or "",
        "rq": str(claim.needs["rq"]),
        "paper": row["paper"],
        "where": claim.where,
        "claim": claim.says,
        "published": published(claim) or NONE,
        "ours": f"{ours}{unit}{interval}" or NONE,
        "verdict": row["verdict"],
        "note": _note(row, claim),
    }


def published(claim: Claim) -> str:
    """The published figure, with its digits and unit; nothing where the paper states none."""
    return "".join(_figure(claim.value if claim.kind == "figure" else claim.published, claim))


def _figure(value: Any, claim: Claim) -> tuple[str, str]:
    """A figure with the digits of the published one, and its unit."""
    if value is None or value != value:
        return "", ""
    kind = known.kind if (known := column(claim.ours.column)) else ""
    compared = claim.ours.compared_as
    if compared in ("increase", "reduction") or kind in ("percent", "saved"):
        sign = "+" if compared == "increase" else ""
        return f"{value * 100:{sign},.{max(0, _decimals(claim, 3) - 2)}f}", "%"
    if compared == "speedup":
        return f"{value:,.{_decimals(claim, 1)}f}", " times"
    if kind == "usd":
        return f"${value:,.{_decimals(claim, 6)}f}", ""
    sign = "+" if compared == "lead" else ""
    places = _decimals(claim, 0 if kind in ("count", "tokens", "flag") else 3)
    return f"{value:{sign},.{places}f}", UNITS.get(kind, "")


def _decimals(claim: Claim, otherwise: int) -> int:
    """Decimals of the published figure, whose last digit the tolerance is half a unit of."""
    if not claim.tolerance:
        return 0 if claim.kind == "figure" else otherwise
    return max(0, -math.floor(math.log10(2 * claim.tolerance) + 1e-9))


def _note(row: Mapping[str, Any], claim: Claim) -> str:
    given = row["note"] if isinstance(row["note"], str) else ""
    if row["verdict"] == NOT_RUN:
        return _needed(given, claim)
    notes = [note for note in given.split("; ") if note and not note.startswith(APART)]
    if given.startswith(APART):
        notes.insert(0, _apart(row, claim))
    return "; ".join(notes)


def _apart(row: Mapping[str, Any], claim: Claim) -> str:
    if claim.ours.compared_as in ("increase", "reduction"):
        return f"{100 * (row['ours'] - row['published']):+.2g} percentage points"
    if not row["published"]:
        return ""
    apart = 100 * (row["ours"] / row["published"] - 1)
    small = abs(apart) < SMALLEST_PERCENT
    digits = max(0, 1 - math.floor(math.log10(abs(apart)))) if not small else 0
    return f"less than {SMALLEST_PERCENT}% apart" if small else f"{apart:+.{digits}f}%"


def _needed(note: str, claim: Claim) -> str:
    """What the run did not have, of what the claim needs, and the command that has it."""
    if NOT_REAL in note:
        return f"needs {NOT_REAL}"
    rq = claim.needs["rq"]
    told = [
        words.format(claim.needs[key], rq=rq)
        for key, words in WHAT_IT_NEEDS.items()
        if key in claim.needs and f"{key} {claim.needs[key]}" in note
    ]
    sizes = [part.removeprefix("needs ") for part in note.split(", ") if "N = " in part]
    return f"needs {', '.join([*told, *sizes])}" if told or sizes else note


def to_text(table: pd.DataFrame, claims: Iterable[Claim]) -> str:
    """The verdicts as a Markdown table; a reading of a claim follows it, with an arrow."""
    cells = shown(table, claims)
    cells["claim"] = cells["of"].map(lambda of: "→ " if of else "") + cells["claim"]
    return to_markdown(cells.drop(columns=["id", "of", "rq"]).rename(columns=label), READING)


def counted(table: pd.DataFrame) -> dict[str, int]:
    """How many rows have each verdict, most first."""
    return {str(name): int(count) for name, count in table["verdict"].value_counts().items()}
