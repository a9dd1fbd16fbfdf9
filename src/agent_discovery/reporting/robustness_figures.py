"""The robustness figures: a row an attack, the share of requests along the axis."""

from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from agent_discovery.reporting.style import COLOURS, MARKERS, plain, save

ROW_INCHES = 0.26
LOOKS = {method: (COLOURS[method], MARKERS[method]) for method in COLOURS} | {
    "SSR, no cap": ("#009E73", "^"),
    "plain": ("#0072B2", "o"),
    "hardened": ("#D55E00", "s"),
}
CLAIM_LOOKS = [("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D")]


def robustness_figure(kind: str, table: pd.DataFrame, path: Path) -> None:
    """One of `reach`, `choice` and `claims`, as `path`.svg, .pdf and .png."""
    table = table[table["attack"] != "none"]
    if kind == "choice":
        panels = list(table.groupby("method", sort=False))
        title = f"The adversarial card is chosen ({table['arbiter'].iloc[0]})"
        _draw(panels, "attack", "prompt", "chosen", title, path)
    elif kind == "reach":
        title = f"The adversarial card is in the pool ({table['corpus'].iloc[0]})"
        _draw([("", table)], "attack", "method", "in_pool", title, path)
    else:
        first = table["encoder"].dropna().iloc[0]
        of_first = table[table["encoder"].isna() | (table["encoder"] == first)]
        panels = list(of_first.groupby("view", sort=False))
        title = f"The adversarial agent is among the first K ({first})"
        _draw(panels, "method", "attack", "in_pool", title, path)


def _draw(
    panels: list[tuple[str, pd.DataFrame]],
    rows: str,
    series: str,
    measure: str,
    title: str,
    path: Path,
) -> None:
    names = list(dict.fromkeys(panels[0][1][rows]))
    figure, axes = plt.subplots(
        1,
        len(panels),
        figsize=(2.6 + 2.6 * max(len(panels), 1.6), 1.6 + ROW_INCHES * len(names)),
        sharey=True,
        squeeze=False,
    )
    for axis, (head, table) in zip(axes[0], panels, strict=True):
        _panel(axis, table, names, rows, series, measure)
        axis.set_title(plain(head), loc="left")
        axis.set_xlabel("share of requests (95% interval)")
    axes[0][0].set_yticks(range(len(names)), [plain(name) for name in names])
    axes[0][0].invert_yaxis()
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    figure.suptitle(plain(title))
    figure.tight_layout(rect=(0, 0.4 / figure.get_figheight(), 1, 1))
    save(figure, path)


def _panel(
    axis: Axes, table: pd.DataFrame, names: list[str], rows: str, series: str, measure: str
) -> None:
    groups = list(table.groupby(series, sort=False))
    for number, (name, group) in enumerate(groups):
        colour, marker = LOOKS.get(name) or CLAIM_LOOKS[number % len(CLAIM_LOOKS)]
        shift = 0.22 * (number - (len(groups) - 1) / 2)
        places = group[rows].map(names.index) + shift
        values = group[measure]
        spread = [values - group[f"{measure}_low"], group[f"{measure}_high"] - values]
        axis.errorbar(
            values,
            places,
            xerr=[part.clip(lower=0) for part in spread],
            fmt=marker,
            label=plain(name),
            color=colour,
            markersize=4,
            linewidth=0.8,
        )
    axis.set_xlim(-0.02, 1.02)
    axis.grid(axis="x", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
