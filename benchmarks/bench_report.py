"""A table (Markdown) and a figure from benchmarks/results/summary.json, beside it.

python -m benchmarks.bench_report
"""

import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from tabulate import tabulate

from agent_discovery.errors import InputError, one_line_errors
from agent_discovery.files import write_text, written_aside
from benchmarks.bench import RESULTS

LATENCIES = {
    "ssr": "SSR",
    "exhaustive": "SSR, every candidate scored",
    "look_up": "looking up a query's lists only",
    "touch_all": "touching every posting of these lists",
    "tantivy": "tantivy BM25",
    "bm25s": "bm25s BM25 (numba)",
    "sqlite_ssr": "SSR in SQLite",
    "sqlite_bm25": "SQLite bm25()",
}
OTHERS = {
    "build_passages_per_s": ("build, passages a CPU second", ",.0f"),
    "sqlite_build_passages_per_s": ("build in SQLite, passages a CPU second", ",.0f"),
    "peak_rss_bytes": ("build, peak memory, bytes", ",.0f"),
    "bytes_per_passage": ("SSR's index, bytes a passage", ",.1f"),
    "whole_index_bytes_per_passage": ("the same with full scan, TF-IDF and BM25", ",.1f"),
    "open_ms": ("opening the index, ms", ".1f"),
    "corpus_cpu_s": ("reading the collection, CPU seconds", ",.1f"),
    "corpus_peak_rss_bytes": ("reading the collection, peak memory, bytes", ",.0f"),
}


def table(summary: dict) -> str:
    """All figures, a column for each size; latencies with their ratio to SSR's mean."""
    sizes = sorted(summary["sizes"], key=int)
    found = [summary["sizes"][size] for size in sizes]
    rows = [
        [name, *(_latency(of_size, key) for of_size in found)] for key, name in LATENCIES.items()
    ]
    for key, (name, form) in OTHERS.items():
        rows.append([name, *(f"{one[key]:{form}}" if key in one else "" for one in found)])
    heads = ["mean / p95 ms of CPU (mean over SSR's)", *(f"{int(size):,}" for size in sizes)]
    align = ["left", *("right" for _ in sizes)]
    return tabulate(rows, heads, "github", disable_numparse=True, colalign=align)


def notes(summary: dict) -> str:
    """What was measured how, and what was skipped and why."""
    machine = summary["machine"]
    lines = [
        f"{machine['cpus']} x {machine['cpu']}, {machine['memory_gib']} GiB, Python "
        f"{machine['python']}. K = {summary['k']}, {summary['queries']:,} queries (SQLite: the "
        f"first {summary['slow_queries']}), from the query's text on, one thread, warm. Generated "
        "text."
    ]
    for size, found in sorted(summary["sizes"].items(), key=lambda item: int(item[0])):
        loads = [value for name, value in found.items() if name.endswith("_load")]
        line = f"{int(size):,} passages: load of the machine {min(loads):.1f} to {max(loads):.1f}"
        skipped = [f"{step}: {why}" for step, why in found["skipped"].items()]
        lines.append("; ".join([line, *skipped]) + ".")
    return "\n".join(f"- {line}" for line in lines)


def _latency(found: dict, key: str) -> str:
    if f"{key}_mean_ms" not in found:
        return ""
    mean, p95 = found[f"{key}_mean_ms"], found[f"{key}_p95_ms"]
    ratio = mean / found["ssr_mean_ms"] if "ssr_mean_ms" in found else float("nan")
    return f"{mean:.3g} / {p95:.3g} ({ratio:.3g}×)"


def draw(summary: dict, path: Path) -> None:
    """Mean latency over the size of the collection, both on logarithmic axes."""
    sizes = sorted(map(int, summary["sizes"]))
    figure, axes = plt.subplots(figsize=(6.4, 4), layout="constrained")
    for key, name in LATENCIES.items():
        points = [(size, summary["sizes"][str(size)].get(f"{key}_mean_ms")) for size in sizes]
        points = [(size, mean) for size, mean in points if mean is not None]
        if points:
            axes.plot(*zip(*points, strict=True), marker="o", label=name)
    axes.set(xscale="log", yscale="log", xlabel="passages", ylabel="mean CPU time a query (ms)")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    with written_aside(path) as aside, plt.rc_context({"svg.hashsalt": path.name}):
        figure.savefig(aside, format="svg", metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    """Write summary.md and latency.svg."""
    with one_line_errors():
        if not RESULTS.exists():
            raise InputError(f"{RESULTS.name}: there are no results yet: make bench")
        summary = json.loads(RESULTS.read_text(encoding="utf-8"))
        text = f"{table(summary)}\n\n{notes(summary)}\n"
        write_text(RESULTS.with_suffix(".md"), text)
        draw(summary, RESULTS.with_name("latency.svg"))
        print(text, end="")


if __name__ == "__main__":
    main()
