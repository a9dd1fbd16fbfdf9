"""One look for all figures: colour-blind safe, readable in print, the same bytes on every run."""

from pathlib import Path

import matplotlib
import pandas as pd

matplotlib.use("agg")

from matplotlib import pyplot as plt  # noqa: E402 - the backend must be chosen first
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.axis import Axis  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

from agent_discovery.files import written_aside  # noqa: E402

COLOURS = {  # Okabe and Ito's palette
    "TF-IDF": "#999999",
    "BM25": "#D55E00",
    "Structural Overlap + ISI": "#56B4E9",
    "Structural + IDF (full scan)": "#000000",
    "SSR": "#0072B2",
    "Full catalog": "#CC79A7",
}
MARKERS = {
    "TF-IDF": "v",
    "BM25": "s",
    "Structural Overlap + ISI": "^",
    "Structural + IDF (full scan)": "D",
    "SSR": "o",
    "Full catalog": "P",
}
FORMS = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}

plt.rcParams.update(
    {
        "svg.hashsalt": "agent-discovery",
        "font.family": "DejaVu Sans",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": 10,
        "legend.frameon": False,
        "figure.dpi": 100,
        "savefig.dpi": 200,
    }
)


def curve(
    axes: Axes,
    rows: pd.DataFrame,
    x: str,
    y: str,
    method: str,
    label: str,
    line: str = "-",
    markersize: float = 5,
    band: float = 0.15,
) -> None:
    """Draw a method's column `y` over `x`, with its interval, if it has one, as a band."""
    look = {"color": COLOURS[method], "marker": MARKERS[method], "markersize": markersize}
    axes.plot(rows[x], rows[y], line, label=label, linewidth=1.2, **look)
    if band and f"{y}_low" in rows:
        low, high = rows[f"{y}_low"], rows[f"{y}_high"]
        axes.fill_between(rows[x], low, high, color=COLOURS[method], alpha=band, linewidth=0)


def plain_log_ticks(*axes: Axis) -> None:
    """Ticks of log axes as plain numbers, 1, 2 and 5 of each decade where there is room."""
    for axis in axes:
        few = axis.get_view_interval()
        steps = (1, 2, 5) if max(few) < 300 * min(few) else (1,)
        axis.set_major_locator(LogLocator(subs=steps, numticks=12))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axis.set_minor_formatter(NullFormatter())


def save(figure: Figure, path: Path) -> None:
    """Write a figure as `path`.svg, .pdf and .png, without dates, and close it."""
    for form, metadata in FORMS.items():
        with written_aside(path.with_suffix(f".{form}")) as aside:
            figure.savefig(aside, format=form, metadata=metadata, bbox_inches="tight")
    plt.close(figure)


def plain(text: str) -> str:
    """Text that matplotlib draws as it is (a dollar sign would start a formula)."""
    return text.replace("$", r"\$")
