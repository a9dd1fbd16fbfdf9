"""Verdicts: each published claim beside our figure, in one of a few classes.

The claims are data (`expected/*.yaml`, which explains its own keys); ours are read from the tables
of a run. A claim that ought to be computable and is not is an error, never a zero.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from agent_discovery.errors import InputError
from agent_discovery.reporting.claims import Claim

REPRODUCED, DIFFERS, NOT_RUN = "reproduced", "differs", "not run"
STAND_IN, OTHER_MODEL = "stand-in", "other model"
# What a claim may need that another model can take the place of.
MODELS = frozenset({"arbiter", "encoder"})
WORDED = {"encoders": "{} encoders"}  # how a need is told, if not by its key and value
ROUNDING = 1e-9
APART = "off by "  # a spreadsheet would take a sign at the beginning for a formula
MACHINE_NOTE = "a time: it depends on the machine"
NOT_REAL = "the real collection (what ran under its name is not)"
GENERATED_NOTE = "on generated text, whose effectiveness means nothing"


@dataclass(frozen=True)
class Ran:
    """A research question's run: its corpus (spec and folder) and what else it was made with.

    real: whether the corpus is what its name says; settings: what claims may need (k, arbiter ...);
    stand_in: whether the offline arbiter stood in for an LLM.
    """

    corpus: str
    folder: str
    real: bool
    settings: Mapping[str, Any]
    stand_in: bool = False


def verdicts(
    paper: str, claims: list[Claim], runs: Mapping[str, Ran], results: str | Path
) -> pd.DataFrame:
    """One row a claim. runs: what ran, by research question; results: the profile's folder."""
    rows = [_verdict(claim, runs.get(str(claim.needs["rq"])), Path(results)) for claim in claims]
    return pd.DataFrame([{"paper": paper, **row} for row in rows])


def failures(table: pd.DataFrame) -> pd.DataFrame:
    """The rows that ought to hold and do not."""
    return table[(table["verdict"] == DIFFERS) & table["ought"].astype(bool)]


def _verdict(claim: Claim, ran: Ran | None, results: Path) -> dict[str, Any]:
    row = {
        "id": claim.id,
        "where": claim.where,
        "claim": claim.says,
        "published": claim.value if claim.kind == "figure" else claim.published,
        "ours": None,
        "low": None,
        "high": None,
        "verdict": NOT_RUN,
        "ought": False,
        "measured": claim.measured,
        "note": "",
    }
    missing = _missing(claim, ran)
    if ran is not None and missing and missing.keys() <= MODELS:
        return row | _ours(claim, ran, results) | _by_another(claim, ran, missing)
    if missing:
        return row | {"note": f"needs {', '.join(missing.values())}"}
    found = _ours(claim, ran, results)
    holds = _holds(claim, found["ours"])
    return row | found | _judged(claim, ran, holds, found["ours"])


def _missing(claim: Claim, ran: Ran | None) -> dict[str, str]:
    """What the claim needs and the run does not have, in words."""
    needs = {
        key: WORDED.get(key, f"{key} {{}}").format(value)
        for key, value in claim.needs.items()
        if key != "rq"
    }
    if ran is None:
        return {"rq": str(claim.needs["rq"]), **needs}
    has = {"corpus": ran.corpus, **ran.settings}
    missing = {key: told for key, told in needs.items() if has.get(key) != claim.needs[key]}
    missing |= {f"n {n}": f"N = {n}" for n in _sizes_of(claim) if n not in has.get("sizes", [n])}
    return missing or ({"real": NOT_REAL} if "corpus" in needs and not ran.real else {})


def _sizes_of(claim: Claim) -> list[Any]:
    """The registry sizes that the claim is about."""
    rows = (claim.ours.row, claim.ours.over or {})
    return list(dict.fromkeys(row["n"] for row in rows if "n" in row))


def _by_another(claim: Claim, ran: Ran, models: Iterable[str]) -> dict[str, Any]:
    """The class of a figure that another model than the published one made, or none."""
    used = ", ".join(str(ran.settings[model]) for model in models)
    notes = [f"made with {used}", *([MACHINE_NOTE] if claim.measured else [])]
    return {"verdict": STAND_IN if ran.stand_in else OTHER_MODEL, "note": "; ".join(notes)}


def _holds(claim: Claim, ours: float) -> bool:
    if claim.holds == "positive":
        return ours > 0
    return abs(ours - claim.value) <= claim.tolerance + ROUNDING


def _judged(claim: Claim, ran: Ran, holds: bool, ours: float) -> dict[str, Any]:
    if claim.made:
        return {"verdict": claim.made, "note": "" if holds else _apart(claim, ours)}
    if claim.kind == "figure":
        ought = not claim.measured and claim.differs_because is None
    else:
        ought = claim.ought_on == "any" or (ran.real and ran.corpus in claim.ought_on)
    notes = [MACHINE_NOTE] if claim.measured else []
    if not ran.real:
        notes.append(GENERATED_NOTE)
    if not holds and claim.kind == "figure":
        notes.append(_apart(claim, ours))
    if not holds and claim.differs_because:
        notes.append(claim.differs_because)
    verdict = REPRODUCED if holds else DIFFERS
    return {"verdict": verdict, "ought": ought, "note": "; ".join(notes)}


def _apart(claim: Claim, ours: float) -> str:
    """How far our figure is from the published one."""
    relative = f" ({ours / claim.value - 1:+.1%})" if claim.value else ""
    return f"{APART}{ours - claim.value:+.6g}{relative}"


def _ours(claim: Claim, ran: Ran, results: Path) -> dict[str, float | None]:
    """Our figure, with its interval where the table has one."""
    ours = claim.ours
    path = results / ours.table.format(corpus=ran.folder)
    table = _table(path, claim)
    row = _row(table, _named(ours.row, ran), claim, path)
    value = _cell(row, ours.column, claim, path)
    if ours.over is None:
        low, high = row.get(f"{ours.column}_low"), row.get(f"{ours.column}_high")
        return {"ours": value, "low": low, "high": high}
    over = _named(ours.over, ran)
    if ours.compared_as == "lead":
        others = _rows(table, over, claim, path).drop(row.name)[ours.column]
        return {"ours": value - float(others.max()), "low": None, "high": None}
    other = _cell(_row(table, over, claim, path), ours.column, claim, path)
    if 0 in (value, other):
        raise InputError(f"claim {claim.id}: {path} has a zero where a ratio is asked for")
    compared = {
        "increase": value / other - 1,
        "reduction": 1 - value / other,
        "speedup": other / value,
    }
    return {"ours": compared[ours.compared_as], "low": None, "high": None}


def _named(row: Mapping[str, Any], ran: Ran) -> dict[str, Any]:
    """The row with settings of the run in it: `{encoder}` is the encoder that ran."""
    return {
        key: value.format(**ran.settings) if isinstance(value, str) else value
        for key, value in row.items()
    }


def _table(path: Path, claim: Claim) -> pd.DataFrame:
    if not path.is_file():
        raise InputError(f"claim {claim.id}: {path} is not there: run {claim.needs['rq']} first")
    try:
        return pd.read_csv(path)
    except ValueError:
        raise InputError(f"claim {claim.id}: {path} holds no table: make it again") from None


def _rows(table: pd.DataFrame, wanted: Mapping[str, Any], claim: Claim, path: Path) -> pd.DataFrame:
    for column, value in wanted.items():
        if column not in table:
            raise InputError(f"claim {claim.id}: {path} has no column {column!r}")
        table = table[table[column] == value]
    return table


def _row(table: pd.DataFrame, wanted: Mapping[str, Any], claim: Claim, path: Path) -> pd.Series:
    table = _rows(table, wanted, claim, path)
    if len(table) != 1:
        raise InputError(f"claim {claim.id}: {path} has {len(table)} rows with {dict(wanted)}")
    return table.iloc[0]


def _cell(row: pd.Series, column: str, claim: Claim, path: Path) -> float:
    try:
        value = float(row[column])
    except (KeyError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"claim {claim.id}: {path} has no value in column {column!r}")
    return value


def told(table: pd.DataFrame) -> str:
    """The verdicts as lines for a terminal, and how many there are of each."""
    lines = []
    for row in table.to_dict("records"):
        published = "" if pd.isna(row["published"]) else f"published {row['published']:,.10g}"
        interval = "" if pd.isna(row["low"]) else f" [{row['low']:.4f}, {row['high']:.4f}]"
        ours = "" if pd.isna(row["ours"]) else f"ours {row['ours']:,.10g}{interval}"
        said = ", ".join(
            part for part in (published, ours, row["note"]) if isinstance(part, str) and part
        )
        lines.append(
            f"{row['verdict']:<15} {row['paper']}, {row['where']}: {row['claim']} ({said})"
        )
    counts = ", ".join(
        f"{count} {verdict}" for verdict, count in table["verdict"].value_counts().items()
    )
    failed = failures(table)
    lines.append(f"{len(table)} claims: {counts}; {len(failed)} that ought to hold and do not")
    return "\n".join(lines)
