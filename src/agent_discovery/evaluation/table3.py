"""SSR's Table III and what goes with it: by source set, on the common sample, and in pairs."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from agent_discovery.config import Intervals
from agent_discovery.evaluation.intervals import increase_with_interval, mean_with_interval

MEAN_OVER_SOURCES = "mean over sources"


class Evaluated(NamedTuple):
    """A method's measures of each query, as ranked, and at the best and worst order of ties.

    Each is (queries, measures), indexed by qid; candidates: cards scored, indexed by qid.
    """

    values: pd.DataFrame
    best: pd.DataFrame
    worst: pd.DataFrame
    candidates: pd.Series

    def on(self, qids: list[str]) -> "Evaluated":
        """The same for some of the queries."""
        return Evaluated(*(part.loc[qids] for part in self))


def read_evaluated(paths: Iterable[str | Path], names: Mapping[str, str]) -> dict[str, Evaluated]:
    """Read what `measures.measured` wrote; each file's stem says the method, `names` its name."""
    return {names[Path(path).stem]: _evaluated(pd.read_parquet(path)) for path in paths}


def _evaluated(table: pd.DataFrame) -> Evaluated:
    table = table.set_index("qid")
    candidates = table.pop("candidates")
    worst, best = table.filter(regex="_worst$"), table.filter(regex="_best$")
    return Evaluated(
        table.drop(columns=[*worst, *best]),
        best.rename(columns=lambda name: name.removesuffix("_best")),
        worst.rename(columns=lambda name: name.removesuffix("_worst")),
        candidates,
    )


def effectiveness(
    methods: Mapping[str, Evaluated], corpus: str, k: int, intervals: Intervals
) -> pd.DataFrame:
    """One row a method: each measure with its 95% interval and its bounds over orders of ties."""
    rows = [
        {"corpus": corpus, "method": name, "queries": len(evaluated.values), "k": k}
        | _measures(evaluated, intervals)
        | {"mean_candidates": evaluated.candidates.mean()}
        for name, evaluated in methods.items()
    ]
    return pd.DataFrame(rows)


def _measures(evaluated: Evaluated, intervals: Intervals) -> dict[str, float]:
    means = mean_with_interval(evaluated.values, intervals)
    worst, best = evaluated.worst.mean(), evaluated.best.mean()
    row = {}
    for measure, mean, low, high in means.itertuples():
        row |= {measure: mean, f"{measure}_low": low, f"{measure}_high": high}
        row |= {f"{measure}_worst": worst[measure], f"{measure}_best": best[measure]}
    return row


def by_source(methods: Mapping[str, Evaluated], sources: pd.Series) -> pd.DataFrame:
    """Each method's mean measures in each source set, and the mean over the sets.

    sources: the source set of each query, indexed by qid. Sets differ much in size, so the mean
    over queries speaks for the largest; the mean over sets counts each alike.
    """
    rows = []
    for name, evaluated in methods.items():
        means = evaluated.values.groupby(sources, sort=True).mean()
        counts = evaluated.values.groupby(sources, sort=True).size()
        rows += [
            {"method": name, "source": source, "queries": counts[source], **means.loc[source]}
            for source in means.index
        ]
        rows.append(
            {
                "method": name,
                "source": MEAN_OVER_SOURCES,
                "queries": counts.sum(),
                **means.mean(),
            }
        )
    return pd.DataFrame(rows)


def comparison(
    methods: Mapping[str, Evaluated], pairs: list[tuple[str, str]], intervals: Intervals
) -> pd.DataFrame:
    """Paired differences `method` - `baseline` of each measure, with 95% intervals.

    `increase` is the relative one, mean(method) / mean(baseline) - 1; empty where that is x / 0.
    The baseline must have run on all of the method's queries.
    """
    rows = []
    for method, baseline in pairs:
        ours = methods[method].values
        other = methods[baseline].values.loc[ours.index]
        differences = mean_with_interval(ours - other, intervals)
        increases = increase_with_interval(ours, other, intervals)
        for measure in differences.index:
            row = {"method": method, "baseline": baseline, "measure": measure, "queries": len(ours)}
            for name, table in (("difference", differences), ("increase", increases)):
                mean, low, high = table.loc[measure]
                row |= {name: mean, f"{name}_low": low, f"{name}_high": high}
            rows.append(row)
    return pd.DataFrame(rows)


def equivalence(
    scan: pd.DataFrame, ssr: pd.DataFrame, qids: list[str], cards: int, candidates: pd.Series
) -> pd.DataFrame:
    """One row: on how many queries the full scan and SSR return the same cards in the same order.

    scan, ssr: runs (qid, id, rank, score, matched); cards: documents that the scan scores;
    candidates: cards that SSR scores, indexed by qid.
    """
    columns = ["id", "rank", "score", "matched"]
    one, other = (
        {qid: part[columns].values.tolist() for qid, part in run.groupby("qid")}
        for run in (scan, ssr)
    )
    identical = sum(one.get(qid, []) == other.get(qid, []) for qid in qids)
    mean = candidates.loc[qids].mean()
    row = {
        "queries": len(qids),
        "identical": identical,
        "identical_share": identical / len(qids),
        "full_scan_scored": cards,
        "ssr_mean_scored": mean,
        "fewer_scored": 1 - mean / cards,
    }
    return pd.DataFrame([row])


def last_places(candidates: Mapping[str, pd.DataFrame], k: int) -> pd.DataFrame:
    """How often ties decide the last place of the pool: method, k, queries, tied, tied_share.

    candidates: by method, `last_tied` of each query. Only the order of ties tells the card at
    place k from the first one left out.
    """
    rows = [
        (name, k, len(table), int(table["last_tied"].sum()), float(table["last_tied"].mean()))
        for name, table in candidates.items()
    ]
    return pd.DataFrame(rows, columns=["method", "k", "queries", "tied", "tied_share"])
