"""A picture of the graph: each agent with its tools around it, laid out in rows by size."""

import math
import textwrap
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Colormap, Normalize
from matplotlib.ticker import MaxNLocator

from agent_discovery.errors import printable
from agent_discovery.reporting.graphml import tool_counts
from agent_discovery.reporting.style import plain, save

MOST_AGENTS = 80  # more would be too small to read
NEVER = "#c8c8c8"
COLOURS = "cividis_r"
LABEL_CHARACTERS, LABEL_LINES = 15, 2
FIRST_UNDRAWN = 0x2000  # matplotlib's own font has next to nothing from here on
ROW_WIDTH = 46.0
LABEL_ROOM = 2.0  # below a flower, and the least width of one is `NARROWEST`
NARROWEST = 4.4
HUB, LEAF = 0.42, 0.2  # radii


def graph_picture(nodes: pd.DataFrame, relevant: dict[str, int], path: Path, corpus: str) -> None:
    """Draw agents as hubs sized by their tools, the tools as dots around them.

    A hub's colour says for how many queries the agent is relevant. nodes: id, kind, name, owner.
    Of a larger registry the `MOST_AGENTS` most relevant agents are drawn, then those with most
    tools, and the title says so.
    """
    tools = tool_counts(nodes)
    names = nodes[nodes["id"] == nodes["owner"]].set_index("id")["name"]
    order = sorted(tools.index, key=lambda agent: (-relevant.get(agent, 0), -tools[agent], agent))
    drawn = sorted(order[:MOST_AGENTS], key=lambda agent: (-tools[agent], agent))
    colours = mpl.colormaps[COLOURS]
    most = max((relevant.get(agent, 0) for agent in drawn), default=0)
    scale = Normalize(1, max(2, most))
    places, height = _rows([_radius(tools[agent]) for agent in drawn])
    figure, axes = plt.subplots(figsize=(11, 11 * height / ROW_WIDTH + 1.0))
    for agent, (x, y) in zip(drawn, places, strict=True):
        times = relevant.get(agent, 0)
        _flower(axes, x, y, tools[agent], _colour(times, colours, scale))
        label = _label(names.get(agent, ""), agent)
        y_label = y - _radius(tools[agent]) - 0.25
        axes.text(x, y_label, label, ha="center", va="top", fontsize=6)
    axes.set(xlim=(0, ROW_WIDTH), ylim=(-height, 0), aspect="equal")
    axes.axis("off")
    bar = figure.colorbar(
        ScalarMappable(scale, colours), ax=axes, orientation="horizontal", shrink=0.45, aspect=40,
        pad=0.01, ticks=MaxNLocator(integer=True, nbins=8),
    )  # fmt: skip
    bar.set_label("queries that the agent is relevant for (grey: none); dots are its tools")
    shown = "" if len(drawn) == len(tools) else f", {len(drawn)} of {len(tools):,} agents"
    axes.set_title(plain(f"Agents and their tools: {printable(corpus)}{shown}"), loc="left")
    save(figure, path)


def _colour(times: int, colours: Colormap, scale: Normalize) -> object:
    return colours(scale(times)) if times else NEVER


def _radius(tools: int) -> float:
    """The radius of an agent with its tools: rings of dots around the hub."""
    return _hub(tools) + 0.55 * len(_rings(tools))


def _hub(tools: int) -> float:
    return HUB + 0.12 * math.sqrt(tools)


def _rings(tools: int) -> list[int]:
    """How many dots each ring has, from inside out."""
    rings, left, distance = [], tools, _hub(tools) + 0.45
    while left:
        room = int(2 * math.pi * distance / (2.4 * LEAF))
        rings.append(min(room, left))
        left -= rings[-1]
        distance += 0.55
    return rings


def _rows(radii: list[float]) -> tuple[list[tuple[float, float]], float]:
    """Places of circles in rows, each row as wide as `ROW_WIDTH`, and the height of all."""
    rows: list[list[float]] = [[]]
    for radius in radii:
        if rows[-1] and sum(map(_cell, rows[-1])) + _cell(radius) > ROW_WIDTH:
            rows.append([])
        rows[-1].append(radius)
    places, top = [], 0.0
    for row in rows:
        spare = (ROW_WIDTH - sum(map(_cell, row))) / len(row) if row is not rows[-1] else 0.0
        x = 0.0
        for radius in row:
            width = _cell(radius) + spare
            places.append((x + width / 2, top - max(row) - 0.2))
            x += width
        top -= 2 * max(row) + LABEL_ROOM
    return places, -top


def _cell(radius: float) -> float:
    return max(2 * radius + 0.5, NARROWEST)


def _flower(axes: Axes, x: float, y: float, tools: int, colour: object) -> None:
    hub, distance = _hub(tools), _hub(tools) + 0.45
    spokes, dots = [], []
    for ring in _rings(tools):
        for place in range(ring):
            turn = 2 * math.pi * place / ring + distance
            end = (x + distance * math.cos(turn), y + distance * math.sin(turn))
            spokes.append([(x, y), end])
            dots.append(end)
        distance += 0.55
    axes.add_collection(LineCollection(spokes, colors="#888888", linewidths=0.5, zorder=1))
    for dot in dots:
        axes.add_patch(plt.Circle(dot, LEAF, facecolor="#777777", linewidth=0, zorder=2))
    axes.add_patch(
        plt.Circle((x, y), hub, facecolor=colour, edgecolor="black", linewidth=0.5, zorder=3)
    )


def _label(name: str, agent: str) -> str:
    """A name on two short lines; the id's end for a name that the font cannot draw."""
    if not name.strip() or any(ord(character) >= FIRST_UNDRAWN for character in name):
        name = agent.rsplit("/", 1)[-1]
    lines = textwrap.wrap(printable(name), LABEL_CHARACTERS, break_on_hyphens=True)
    shown = "\n".join(lines[:LABEL_LINES]) + ("…" if len(lines) > LABEL_LINES else "")
    drawn = "".join(c if ord(c) < FIRST_UNDRAWN or c == "…" else "?" for c in shown)
    return plain(drawn)
