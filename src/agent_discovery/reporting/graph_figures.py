"""The curves of Agent-as-a-Graph: measures and shares against the weights of agents and tools."""

from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from agent_discovery.reporting.style import plain, save

# Okabe and Ito's palette; the order of the forms in the table, and of the kinds of items.
LOOKS = (("#0072B2", "o", "-"), ("#D55E00", "s", "--"), ("#999999", "^", ":"))
PRIMARY_VIEWS = ("pool", "direct")
ITEMS = {"nodes": "first K nodes", "agents": "first K agents, by the node that led there"}
SOURCES = {"step": "steps", "question": "questions"}
WIDTH, HEIGHT = 3.8, 2.7


def weights_figure(weights: pd.DataFrame, path: Path, corpus: str) -> None:
    """Recall and nDCG at K against the ratio of weights: a row an encoder, a line a form.

    Bands are 95% intervals. The view is `pool` where there is one, else `direct`.
    """
    view = next(view for view in PRIMARY_VIEWS if view in set(weights["view"]))
    drawn = weights[weights["view"] == view]
    measures = [_deepest(drawn, kind) for kind in ("recall", "ndcg")]
    encoders = drawn["encoder"].unique()
    figure, panels = _panels(len(encoders), len(measures))
    for row, encoder in zip(panels, encoders, strict=True):
        for axes, measure in zip(row, measures, strict=True):
            part = drawn[drawn["encoder"] == encoder]
            for look, (form, line) in zip(LOOKS, part.groupby("form", sort=False), strict=False):
                _line(axes, line["weights"], line[measure], form, look)
                ends = (line[f"{measure}_low"], line[f"{measure}_high"])
                axes.fill_between(line["weights"], *ends, color=look[0], alpha=0.12, linewidth=0)
            axes.set_title(plain(encoder), loc="left")
            axes.set_ylabel(f"{_named(measure)} ({view})")
    _finish(figure, panels, f"Weights of agent and tool nodes on {corpus}")
    save(figure, path)


def shares_figure(shares: pd.DataFrame, path: Path, corpus: str) -> None:
    """The share of retrieved items that agent nodes bring, against the ratio of weights.

    The rest comes from tool nodes, through their edges. A panel an encoder.
    """
    source = next(source for source in SOURCES if source in set(shares["source"]))
    drawn = shares[(shares["source"] == source) & shares["weights"].notna()]
    encoders = drawn["encoder"].unique()
    figure, panels = _panels(1, len(encoders))
    for axes, encoder in zip(panels[0], encoders, strict=True):
        part = drawn[drawn["encoder"] == encoder]
        for look, (items, label) in zip(LOOKS, ITEMS.items(), strict=False):
            line = part[part["items"] == items]
            _line(axes, line["weights"], line["agent"], label, look)
        axes.set_title(plain(encoder), loc="left")
        axes.set_ylim(0, 1)
    panels[0][0].set_ylabel(f"share from agent nodes ({SOURCES[source]})")
    _finish(figure, panels, f"What agent nodes bring on {corpus}; the rest comes from tool nodes")
    save(figure, path)


def _panels(rows: int, columns: int) -> tuple[Figure, list[list[Axes]]]:
    size = (max(WIDTH * columns, 5.5), HEIGHT * rows + 0.9)
    figure, panels = plt.subplots(rows, columns, figsize=size, squeeze=False, sharey="col")
    return figure, panels.tolist()


def _line(axes: Axes, x: pd.Series, y: pd.Series, label: str, look: tuple[str, str, str]) -> None:
    colour, marker, dashes = look
    axes.plot(x, y, color=colour, marker=marker, linestyle=dashes, label=label, markersize=4)


def _finish(figure: Figure, panels: list[list[Axes]], title: str) -> None:
    for axes in (axes for row in panels for axes in row):
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.tick_params(axis="x", labelsize=7.5, rotation=45)
    for axes in panels[-1]:
        axes.set_xlabel("agent weight : tool weight")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=8)
    figure.suptitle(plain(title), fontsize=10)
    bottom = 0.35 / figure.get_figheight()
    figure.tight_layout(rect=(0, bottom, 1, 1))


def _deepest(table: pd.DataFrame, kind: str) -> str:
    """The measure of a kind at the greatest cutoff."""
    cutoffs = [name for name in table if name.startswith(f"{kind}@") and "_" not in name]
    return max(cutoffs, key=lambda name: int(name.split("@")[1]))


def _named(measure: str) -> str:
    kind, cutoff = measure.split("@")
    return f"{'nDCG' if kind == 'ndcg' else 'Recall'}@{cutoff}"
