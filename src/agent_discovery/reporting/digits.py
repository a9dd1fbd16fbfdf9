"""How the numbers of result tables are written: units, and no more digits than they support."""

import math
from collections.abc import Callable
from functools import partial

import pandas as pd

MOST_DECIMALS_OF = {"share": 3, "signed": 3, "percent": 1, "tokens": 0, "mean": 1, "average": 2}
SIGNIFICANT = 2  # digits of an interval's half-width that are shown, at most
LEAST_P = 0.001


def _decimals(value: float, decimals: int, unit: str = "", sign: str = "", scale: int = 1) -> str:
    text = f"{value * scale:{sign},.{decimals}f}"
    if not float(text.replace(",", "")):
        text = text.lstrip("+-")
    return f"{text}{unit}"


def _milliseconds(value: float, decimals: int) -> str:
    """Three significant digits: times of one table span five orders of magnitude."""
    places = 2 if not value else max(0, 2 - math.floor(math.log10(abs(value))))
    return _decimals(value, places)


def _probability(value: float, decimals: int) -> str:
    return f"< {LEAST_P}" if value < LEAST_P else f"{value:.3f}"


def _dollars(value: float, decimals: int) -> str:
    return f"{value:.6f}"


def _flag(value: float, decimals: int) -> str:
    return "yes" if value else "no"


WRITTEN: dict[str, Callable[[float, int], str]] = {
    "count": lambda value, decimals: _decimals(value, 0),
    "tokens": _decimals,
    "mean": _decimals,
    "average": _decimals,
    "share": _decimals,
    "signed": partial(_decimals, sign="+"),
    "percent": partial(_decimals, unit="%", sign="+", scale=100),
    "saved": lambda value, decimals: _decimals(value, 1, "%", scale=100),
    "power": lambda value, decimals: _decimals(value, 2),
    "p": _probability,
    "usd": _dollars,
    "ms": _milliseconds,
    "kib": lambda value, decimals: _decimals(value / 1024, 0),
    "flag": _flag,
}


def decimals(kind: str, low: pd.Series | None = None, high: pd.Series | None = None) -> int:
    """Decimals of a column's numbers: no more than its widest interval supports.

    That is `SIGNIFICANT` digits of the interval's half-width, and the kind's own number at most.
    """
    most = MOST_DECIMALS_OF.get(kind, 0)
    half = 0.0 if low is None else float(((high - low) / 2).max())
    if not half > 0 or not math.isfinite(half):
        return most
    half *= 100 if kind == "percent" else 1
    return max(0, min(most, SIGNIFICANT - 1 - math.floor(math.log10(half))))
