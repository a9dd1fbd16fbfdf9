"""The figures of RQ3 that RQ1 has not: tokens against context windows, and the choice of K."""

from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from agent_discovery.reporting.style import curve, plain, plain_log_ticks, save

FULL_CATALOG = "Full catalog"
WINDOW_COLOUR = "#555555"
SIDE_LINES = {"validation": "-", "test": ":"}


def tokens_figure(
    full_catalog: pd.DataFrame, table4: pd.DataFrame, windows: pd.DataFrame, path: Path, title: str
) -> None:
    """Input tokens against registry size, context windows as lines, on log axes.

    The full catalog's are exact counts at every size; the other methods' are those of their calls.
    """
    figure, axes = plt.subplots(figsize=(6.4, 4.2))
    curve(axes, full_catalog, "n", "mean_input_tokens", FULL_CATALOG, FULL_CATALOG)
    pooled = table4[table4["method"] != FULL_CATALOG]
    for method, rows in pooled.groupby("method", sort=False):
        label = f"{method}, K = {rows['k'].iloc[0]:.0f}"
        curve(axes, rows, "n", "mean_input_tokens", method, label, band=0)
    for window in windows.to_dict("records"):
        axes.axhline(window["context_window"], color=WINDOW_COLOUR, linewidth=0.7, linestyle="--")
        axes.annotate(
            _window_label(window), (1.01, window["context_window"]), annotation_clip=False,
            xycoords=("axes fraction", "data"), fontsize=7.5, color=WINDOW_COLOUR, va="center",
        )  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="cards in the registry")
    axes.set_ylabel("input tokens of a query (mean)")
    plain_log_ticks(axes.xaxis, axes.yaxis)
    axes.grid(color="#eeeeee", linewidth=0.6)
    figure.legend(loc="outside lower center", ncols=3)
    figure.suptitle(
        plain(title)
        + "\ndashed: context windows in tokens, and the N at which the full catalog fails"
    )
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    save(figure, path)


def _window_label(window: dict) -> str:
    size = f"{window['context_window']:,}"
    if not window["queries_failing"]:
        return f"{size}: not reached"
    return f"{size}: N = {window['fails_at_n_median']:,.0f}"


def depth_figure(
    sensitivity: pd.DataFrame, validation: pd.DataFrame, path: Path, title: str
) -> None:
    """What a larger K brings: recall and accuracy on the sample, and recall where K is chosen."""
    largest = sensitivity[sensitivity["n"] == sensitivity["n"].max()]
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.8), sharey=True)
    for method, rows in largest.groupby("method", sort=False):
        _curve(left, rows, "candidate_recall", method, "-", f"{method}, recall")
        if "end_to_end_accuracy" in rows and rows["end_to_end_accuracy"].notna().sum() > 1:
            told = f"{method}, accuracy"
            _curve(left, rows.dropna(), "end_to_end_accuracy", method, "--", told)
    for (side, method), rows in validation.groupby(["side", "method"], sort=False):
        chosen = rows.loc[rows["selected"] & (side == "validation"), "k"]
        told = "".join(f": K = {k:g} chosen" for k in chosen)
        label = f"{method}, {side}{told}"
        _curve(right, rows, "candidate_recall", method, SIDE_LINES[side], label)
    left.set_title(f"the sample, {largest['queries'].iloc[0]:,} queries", loc="left")
    left.set_ylabel(f"share of queries (95% interval), N = {largest['n'].iloc[0]:,}")
    right.set_title(_sides_title(validation), loc="left", fontsize=9)
    for axes in (left, right):
        axes.set(xscale="log", xlabel="budget K", ylim=(0, 1.05))
        axes.set_xticks(sorted(largest["k"].unique()))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.minorticks_off()
        axes.grid(color="#dddddd", linewidth=0.6)
        if axes.lines:
            axes.legend(fontsize=7.5, loc="upper left", ncols=2 if axes is left else 1)
    figure.suptitle(plain(title))
    figure.tight_layout()
    save(figure, path)


def _sides_title(validation: pd.DataFrame) -> str:
    if validation.empty:
        return "no query is left to validate on"
    return f"recall, disjoint sides of {validation['queries'].iloc[0]:,} queries"


def _curve(axes: Axes, rows: pd.DataFrame, column: str, method: str, line: str, label: str) -> None:
    curve(axes, rows, "k", column, method, label, line, markersize=4, band=0.12)
