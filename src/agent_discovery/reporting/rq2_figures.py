"""The figures of RQ2: effectiveness with intervals, and cards scored against registry size."""

from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from agent_discovery.reporting.style import COLOURS, MARKERS, plain, plain_log_ticks, save

SPREAD = 0.13


def effectiveness_figure(table3: pd.DataFrame, path: Path) -> None:
    """Success at each cutoff, and MRR and nDCG, for the methods of Table III.

    Whiskers are 95% intervals; the broad bars span what any order of tied cards could give.

    Only methods run on all queries are drawn; the full scan runs on the sample (and ranks as SSR).
    """
    drawn = table3[table3["queries"] == table3["queries"].max()]
    success = [name for name in table3 if name.startswith("success@") and "_" not in name]
    others = [name for name in table3 if name.startswith(("mrr@", "ndcg@")) and "_" not in name]
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(7.2, 3.2), width_ratios=[len(success), len(others)], sharey=True
    )
    _draw_measures(left, drawn, success)
    _draw_measures(right, drawn, others)
    left.set_ylabel("mean over queries")
    left.set_ylim(bottom=0)
    left.set_title("a relevant card among the first k", loc="left")
    right.set_title("where it ranks", loc="left")
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    corpus, queries = table3["corpus"].iloc[0], drawn["queries"].iloc[0]
    figure.suptitle(
        f"Retrieval effectiveness on {plain(corpus)}, {queries:,} queries\n"
        "whiskers: 95% interval; broad bars: any order of tied cards"
    )
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    save(figure, path)


def _draw_measures(axes: Axes, table: pd.DataFrame, measures: list[str]) -> None:
    for place, row in enumerate(table.to_dict("records")):
        shift = (place - (len(table) - 1) / 2) * SPREAD
        places = [position + shift for position in range(len(measures))]
        means = [row[name] for name in measures]
        below = [row[name] - row[f"{name}_low"] for name in measures]
        above = [row[f"{name}_high"] - row[name] for name in measures]
        worst, best = ([row[f"{name}_{end}"] for name in measures] for end in ("worst", "best"))
        axes.vlines(places, worst, best, color=COLOURS[row["method"]], linewidth=6, alpha=0.25)
        axes.errorbar(
            places,
            means,
            yerr=[below, above],
            fmt=MARKERS[row["method"]],
            color=COLOURS[row["method"]],
            label=row["method"],
            markersize=5,
            capsize=2,
            linewidth=1,
        )
    axes.set_xticks(range(len(measures)), [_label(name) for name in measures])
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def _label(measure: str) -> str:
    name, cutoff = measure.split("@")
    return {"success": f"k = {cutoff}", "mrr": f"MRR@{cutoff}", "ndcg": f"nDCG@{cutoff}"}[name]


def candidates_figure(sizes: pd.DataFrame, path: Path) -> None:
    """Cards scored for a query against registry size: full scan and SSR with the ISI."""
    figure, axes = plt.subplots(figsize=(4.6, 3.4))
    scan, ssr = "Structural + IDF (full scan)", "SSR"
    axes.plot(
        sizes["n"], sizes["full_scan_scored"], color=COLOURS[scan], linestyle="--", label=scan
    )
    axes.plot(
        sizes["n"], sizes["ssr_mean_candidates"], color=COLOURS[ssr], marker="o", label=ssr,
        markersize=4,
    )  # fmt: skip
    last = sizes.iloc[-1]
    share = last["ssr_mean_candidates"] / last["n"]
    told = f"of {last['n']:,.0f} cards,\nSSR scores {share:.1%}"
    axes.text(0.98, 0.04, told, transform=axes.transAxes, ha="right", color=COLOURS[ssr])
    axes.set(xscale="log", yscale="log", xlabel="cards in the registry")
    axes.set_ylabel("cards scored for a query (mean)")
    plain_log_ticks(axes.xaxis, axes.yaxis)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.legend(loc="upper left")
    axes.set_title("What the Inverted Signal Index saves", loc="left")
    figure.tight_layout()
    save(figure, path)
