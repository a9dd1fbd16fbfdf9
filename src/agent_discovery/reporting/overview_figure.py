"""The picture of the README: what both papers ask, answered in three panels."""

from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from agent_discovery.reporting.style import COLOURS, curve, save

RECALL = "candidate_recall"
GRAPH_METHODS = [
    "BM25",
    "Agent-only",
    "Tool-only (ScaleMCP-like)",
    "Agent-as-a-Graph",
    "Type-specific wRRF 1.5:1",
]
GRAPH_COLOUR, GRID = "#009E73", "#dddddd"


def overview_figure(
    table2: pd.DataFrame, table4: pd.DataFrame, baselines: pd.DataFrame, path: Path
) -> None:
    """Tokens of RQ1, candidate recall of RQ3, and the graph's recall; written as `style.save` does.

    table2: RQ1's, plain; table4: RQ3's; baselines: Agent-as-a-Graph's.
    """
    figure, (tokens, recall, graph) = plt.subplots(
        1, 3, figsize=(10.5, 3.4), width_ratios=[1, 1, 0.9]
    )
    for method, rows in table2.groupby("method", sort=False):
        curve(tokens, rows, "n", "mean_input_tokens", method, method)
    tokens.set(xscale="log", yscale="log", ylabel="input tokens a query (mean)")
    tokens.set_title("RQ1: what the LLM must read", loc="left")
    for method, rows in table4[table4["k"].notna()].groupby("method", sort=False):
        curve(recall, rows, "n", RECALL, method, f"{method}, first {rows['k'].iloc[0]:.0f}")
    recall.set(xscale="log", ylim=(0, 1), ylabel="share of queries (95% interval)")
    recall.set_title("RQ3: a relevant card is kept", loc="left")
    for axes in (tokens, recall):
        axes.set_xlabel("cards in the registry")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axes.grid(color=GRID, linewidth=0.6)
        axes.legend(loc="best")
    tokens.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    _graph_panel(graph, baselines)
    figure.tight_layout()
    save(figure, path)


def _graph_panel(axes: Axes, baselines: pd.DataFrame) -> None:
    pool = baselines[(baselines["view"] == "pool")].set_index("method").loc[GRAPH_METHODS]
    measure = max(name for name in pool if name.startswith("recall@") and "_" not in name)
    for place, (method, row) in enumerate(pool.iterrows()):
        low, high = row[measure] - row[f"{measure}_low"], row[f"{measure}_high"] - row[measure]
        axes.errorbar(
            row[measure], -place, xerr=[[low], [high]], fmt="o", capsize=3, linewidth=1.2,
            color=COLOURS.get(method, GRAPH_COLOUR),
        )  # fmt: skip
    axes.set_yticks([-place for place in range(len(pool))], [_label(name) for name in pool.index])
    axes.set(xlim=(0.4, 1), ylim=(-len(pool) + 0.4, 0.6))
    axes.set_xlabel(f"{measure} of agents (95% interval)")
    axes.grid(axis="x", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_title("Agent-as-a-Graph: right agents", loc="left")


def _label(method: str) -> str:
    return {
        "Tool-only (ScaleMCP-like)": "Tools only",
        "Agent-only": "Agents only",
        "Type-specific wRRF 1.5:1": "Agent-as-a-Graph,\nagents 1.5 times",
    }.get(method, method)
