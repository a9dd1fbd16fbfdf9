"""The figures of RQ1: what a registry's growth costs, and what the LLM makes of it."""

from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator

from agent_discovery.reporting.style import curve, plain, plain_log_ticks, save

COSTS = {
    "mean_input_tokens": "input tokens a query (mean)",
    "mean_cost_usd": "US dollars a query (mean)",
}
RATES = {
    "candidate_recall": "a relevant card is a candidate",
    "selection_accuracy": "of those: one is selected",
    "end_to_end_accuracy": "of all: one is selected",
}


def cost_figure(table2: pd.DataFrame, path: Path, title: str) -> None:
    """Input tokens and cost of a query against registry size, for each method, on log axes."""
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.2))
    for axes, (column, label) in zip(panels, COSTS.items(), strict=True):
        _lines(axes, table2, column)
        axes.set(xscale="log", yscale="log", ylabel=label)
        plain_log_ticks(axes.yaxis)
    _finish(figure, panels, table2, title)
    save(figure, path)


def latency_figure(latency: pd.DataFrame, path: Path, title: str) -> None:
    """Mean end-to-end latency of successful calls against registry size."""
    figure, axes = plt.subplots(figsize=(4.6, 3.4))
    _lines(axes, latency[latency["stage"] == "end_to_end"], "wall_ms_mean")
    axes.set(xscale="log", yscale="log", ylabel="end-to-end latency, ms (mean)")
    plain_log_ticks(axes.yaxis)
    _finish(figure, [axes], latency, title)
    save(figure, path)


def rates_figure(table2: pd.DataFrame, path: Path, title: str) -> None:
    """Candidate recall and accuracy against registry size, with 95% intervals."""
    figure, panels = plt.subplots(1, len(RATES), figsize=(9, 3.2), sharey=True)
    for axes, (column, label) in zip(panels, RATES.items(), strict=True):
        _lines(axes, table2, column)
        axes.set(xscale="log", ylim=(0, 1.05))
        axes.set_title(label, loc="left")
    panels[0].set_ylabel("share of queries (95% interval)")
    _finish(figure, panels, table2, title)
    save(figure, path)


def _lines(axes: Axes, table: pd.DataFrame, column: str) -> None:
    for method, rows in table.groupby("method", sort=False):
        curve(axes, rows, "n", column, method, method)
    axes.set_xlabel("cards in the registry")
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def _finish(figure, panels: list[Axes], table: pd.DataFrame, title: str) -> None:
    for axes in panels:
        axes.set_xticks(sorted(table["n"].unique()))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axes.xaxis.set_minor_locator(NullLocator())
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    figure.suptitle(plain(title))
    figure.tight_layout(rect=(0, 0.08, 1, 1))
