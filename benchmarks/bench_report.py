"""A table (Markdown) and a figure from benchmarks/results/summary.json, beside it.

python -m benchmarks.bench_report
"""

import json
from collections.abc import Callable
from pathlib import Path

from tabulate import tabulate

from agent_discovery.errors import InputError, one_line_errors
from agent_discovery.files import write_text, written_aside
from agent_discovery.reporting.style import plt
from benchmarks.bench import RESULTS

LATENCIES = {
    "ssr": "SSR",
    "ssr_search": "SSR, from its lists on",
    "exhaustive": "SSR, every candidate scored",
    "exhaustive_search": "the same, from its lists on",
    "look_up": "looking up a query's lists only",
    "touch_all": "touching every posting of these lists",
    "tantivy": "tantivy BM25",
    "bm25s": "bm25s BM25 (numba)",
    "bm25_native": "BM25, native, every candidate scored",
    "bm25_fts5": "BM25, FTS5, every candidate scored",
    "sqlite_ssr": "SSR in SQLite, added up in SQL",
    "sqlite_rows_ssr": "SSR in SQLite, added up in Python",
    "sqlite_bm25": "SQLite bm25(), first ten",
}
DRAWN = ("ssr", "exhaustive", "touch_all", "tantivy", "bm25s", "sqlite_ssr", "sqlite_bm25")
LOOKS = [  # Okabe and Ito's palette, and markers for print
    {"color": colour, "marker": marker}
    for colour, marker in zip(
        ("#0072B2", "#56B4E9", "#000000", "#E69F00", "#009E73", "#D55E00", "#CC79A7"),
        "o^Dsv<P",
        strict=True,
    )
]
# name, what is divided, by what
RATIOS = (
    ("SSR in SQLite, in SQL / SSR, mean", "sqlite_ssr_mean_ms", "ssr_mean_ms"),
    ("the same, 95th percentile", "sqlite_ssr_p95_ms", "ssr_p95_ms"),
    ("SSR in SQLite, in Python / SSR, mean", "sqlite_rows_ssr_mean_ms", "ssr_mean_ms"),
    ("the same, 95th percentile", "sqlite_rows_ssr_p95_ms", "ssr_p95_ms"),
    ("tantivy BM25 / SSR", "tantivy_mean_ms", "ssr_mean_ms"),
    ("bm25s / SSR", "bm25s_mean_ms", "ssr_mean_ms"),
    ("SSR from its lists on / touching every posting", "ssr_search_mean_ms", "touch_all_mean_ms"),
    ("SSR / touching every posting", "ssr_mean_ms", "touch_all_mean_ms"),
    ("every candidate, from lists on / touching", "exhaustive_search_mean_ms", "touch_all_mean_ms"),
    ("query of 64 signals / SSR", "wide_ssr_mean_ms", "ssr_mean_ms"),
    ("slowest query of 64 signals / SSR", "wide_ssr_max_ms", "ssr_mean_ms"),
    ("full scan, one query at a time / SSR", "scan_alone_mean_ms", "ssr_mean_ms"),
    ("full scan, all queries in one pass / SSR", "scan_one_pass_mean_ms", "ssr_mean_ms"),
    ("postings that pruning visits / all", "mean_visited_pruned", "mean_postings"),
    ("build / build in SQLite", "build_passages_per_s", "sqlite_build_passages_per_s"),
)
DIFFERENCES = {  # what is compared, and on how many queries
    "pruned_differs_from_exhaustive": ("pruned and every candidate scored", "queries"),
    "differs_from_reference": ("SSR and plain Python", "reference_queries"),
    "scan_differs_from_pruned": ("full scan and pruned", "scan_queries"),
    "scan_differs_from_exhaustive": ("full scan and every candidate scored", "scan_queries"),
    "wide_pruned_differs": ("pruned and every candidate scored, 64 signals", "wide_queries"),
    "sqlite_ssr_scores_differ": ("SSR and SSR in SQLite (scores)", "sqlite_queries"),
    "bm25_candidates_differ": ("BM25 native and FTS5 (every candidate's score)", "bm25_queries"),
}
OTHERS = {
    "mean_signals": ("signals a query", ".2f"),
    "mean_candidates": ("candidates a query, |C_q|", ",.0f"),
    "mean_postings": ("postings of a query's lists", ",.0f"),
    "mean_visited_pruned": ("postings that pruning visits", ",.0f"),
    "wide_ssr_max_ms": ("slowest query of 64 signals, ms", ".3g"),
    "scan_alone_mean_ms": ("full scan, one query at a time, ms", ",.3g"),
    "scan_one_pass_mean_ms": ("full scan, all queries in one pass, ms a query", ",.3g"),
    "build_passages_per_s": ("build, passages a CPU second", ",.0f"),
    "sqlite_build_passages_per_s": ("build in SQLite, passages a CPU second", ",.0f"),
    "build_wall_s": ("build, wall seconds", ",.0f"),
    "peak_rss_bytes": ("build, peak memory, bytes", ",.0f"),
    "bytes_per_passage": ("SSR's index, bytes a passage", ",.1f"),
    "whole_index_bytes_per_passage": ("the same with full scan, TF-IDF and BM25", ",.1f"),
    "sqlite_bytes_per_passage": ("signals in SQLite, bytes a passage", ",.1f"),
    "open_ms": ("opening the index, ms", ".1f"),
    "corpus_cpu_s": ("reading the collection, CPU seconds", ",.1f"),
    "corpus_peak_rss_bytes": ("reading the collection, peak memory, bytes", ",.0f"),
}


def tables(summary: dict) -> str:
    """All figures, a column for each size: times, ratios, differences, sizes and work."""
    times = _table(
        summary, "mean / p95 ms of CPU a query", [(n, _latency(k)) for k, n in LATENCIES.items()]
    )
    ratios = _table(summary, "ratio of means", [(n, _ratio(a, b)) for n, a, b in RATIOS])
    differences = _table(
        summary,
        "queries that differ",
        [(n, _differing(k, of)) for k, (n, of) in DIFFERENCES.items()],
    )
    others = _table(
        summary, "work and size", [(n, _value(k, form)) for k, (n, form) in OTHERS.items()]
    )
    return "\n\n".join([times, ratios, differences, others])


Cell = Callable[[dict], str]


def _table(summary: dict, head: str, rows: list[tuple[str, Cell]]) -> str:
    sizes = sorted(summary["sizes"], key=int)
    found = [{"queries": summary["queries"], **summary["sizes"][size]} for size in sizes]
    cells = [[name, *map(cell, found)] for name, cell in rows]
    heads = [head, *(f"{int(size):,}" for size in sizes)]
    align = ["left", *("right" for _ in sizes)]
    return tabulate(cells, heads, "github", disable_numparse=True, colalign=align)


def _latency(key: str) -> Cell:
    names = (f"{key}_mean_ms", f"{key}_p95_ms")
    return lambda found: " / ".join(f"{found[name]:.3g}" for name in names if name in found)


def _ratio(upper: str, lower: str) -> Cell:
    return lambda found: (
        f"{found[upper] / found[lower]:.3g}" if {upper, lower} <= found.keys() else ""
    )


def _differing(key: str, of: str) -> Cell:
    return lambda found: f"{found[key]} of {found[of]:,}" if key in found else ""


def _value(key: str, form: str) -> Cell:
    return lambda found: f"{found[key]:{form}}" if key in found else ""


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


def draw(summary: dict, path: Path) -> None:
    """Mean latency over the size of the collection, both on logarithmic axes."""
    sizes = sorted(map(int, summary["sizes"]))
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    for (key, name), look in zip(((key, LATENCIES[key]) for key in DRAWN), LOOKS, strict=True):
        points = [(size, summary["sizes"][str(size)].get(f"{key}_mean_ms")) for size in sizes]
        points = [(size, mean) for size, mean in points if mean is not None]
        if points:
            axes.plot(*zip(*points, strict=True), **look, label=name)
    axes.set(xscale="log", yscale="log", xlabel="passages", ylabel="mean CPU time a query (ms)")
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    with written_aside(path) as aside:
        figure.savefig(aside, format="svg", metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    """Write summary.md and latency.svg."""
    with one_line_errors():
        if not RESULTS.exists():
            raise InputError(f"{RESULTS.name}: there are no results yet: make bench")
        summary = json.loads(RESULTS.read_text(encoding="utf-8"))
        text = f"{tables(summary)}\n\n{notes(summary)}\n"
        write_text(RESULTS.with_suffix(".md"), text)
        draw(summary, RESULTS.with_name("latency.svg"))
        print(text, end="")


if __name__ == "__main__":
    main()
