"""Figures 1 and 2 of SSR, drawn anew: the retrieval path and the benchmark's generation."""

from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from agent_discovery.reporting.style import plain, save

ONLINE, OFFLINE, SEEN = "#dcebf5", "#ececec", "#f9e3d4"
SSR = "SSR"


def retrieval_figure(table3: pd.DataFrame, equivalence: pd.DataFrame, path: Path) -> None:
    """Figure 1: from a query to the pool that the LLM sees, with the counts of Table III's run.

    table3: for K; equivalence: cards of the registry, and the mean that SSR scores.
    """
    counts = equivalence.iloc[0]
    k = int(table3.loc[table3["method"] == SSR, "k"].iloc[0])
    corpus = table3["corpus"].iloc[0]
    figure, axes = _canvas(7.6, 4.4, 12, 7.2)
    offline = [
        f"{counts['full_scan_scored']:,.0f} cards\nname, description,\nskills, tags, tools",
        "signals of each card\nwords and pairs of words,\nat most 64",
        "Inverted Signal Index\nsignal → cards;\nIDF of each signal",
    ]
    online = ["query", "signals $S_q$", "candidate set $C_q$", "score and rank", "pool $P_q$"]
    below = [
        "",
        "made in the\nsame way",
        f"{counts['ssr_mean_scored']:,.0f} cards\nscored (mean)",
        "sum of the IDF\nof shared signals",
        f"at most\nK = {k} cards",
    ]
    axes.text(0, 6.9, "once for a registry", fontsize=8, color="#444444")
    for place, text in enumerate(offline):
        _box(axes, 4.2 * place, 5.2, 3.6, 1.4, text, OFFLINE)
        if place:
            _arrow(axes, (4.2 * place - 0.6, 5.9), (4.2 * place, 5.9))
    axes.text(0, 3.95, "for each query", fontsize=8, color="#444444")
    for place, (head, text) in enumerate(zip(online, below, strict=True)):
        colour = SEEN if place == len(online) - 1 else ONLINE
        _box(axes, 2.45 * place, 2.1, 2.2, 1.5, "\n".join(filter(None, [head, text])), colour)
        if place:
            _arrow(axes, (2.45 * place - 0.25, 2.85), (2.45 * place, 2.85))
    _arrow(axes, (10.2, 5.2), (6.0, 3.6))
    _box(axes, 9.8, 0.2, 2.2, 1.1, "LLM selects\none card", SEEN)
    _arrow(axes, (10.9, 2.1), (10.9, 1.3))
    axes.set_title(f"How SSR retrieves; counts on {plain(corpus)}", loc="left")
    save(figure, path)


def benchmark_figure(table1: pd.DataFrame, path: Path) -> None:
    """Figure 2: how SSR-AgentBench is generated. table1: its counts, as figure and value."""
    count = {row["figure"]: f"{row['value']:,.0f}" for row in table1.to_dict("records")}
    blocks = [
        f"1  taxonomy\n{count['domains']} domains,\n{count['skills']} skills",
        f"2  base cards\n{count['base_cards']} Agent Cards",
        f"3  twins\n{count['capability_twins']} cards that\ndiffer in what\nqueries ask for",
        f"4  queries\n{count['queries']}, and again\nin other words",
        "5  targets\none a query: no\nother card has\nall it asks for",
    ]
    figure, axes = _canvas(7.6, 1.9, 15.6, 3.4)
    for place, text in enumerate(blocks):
        _box(axes, 3.15 * place, 1.4, 2.85, 1.8, text, ONLINE)
        if place:
            _arrow(axes, (3.15 * place - 0.3, 2.3), (3.15 * place, 2.3))
    told = f"in all {count['agent_cards']} Agent Cards and {count['queries']} queries"
    axes.text(7.7, 0.5, told, ha="center", fontsize=9)
    axes.set_title("How SSR-AgentBench is generated", loc="left")
    save(figure, path)


def _canvas(width: float, height: float, x: float, y: float):
    figure, axes = plt.subplots(figsize=(width, height))
    axes.set(xlim=(-0.1, x + 0.1), ylim=(0, y))
    axes.axis("off")
    return figure, axes


def _box(axes: Axes, x: float, y: float, wide: float, high: float, text: str, colour: str) -> None:
    axes.add_patch(plt.Rectangle((x, y), wide, high, facecolor=colour, edgecolor="#555555"))
    axes.text(x + wide / 2, y + high / 2, text, ha="center", va="center", fontsize=8)


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": "#333333"})
