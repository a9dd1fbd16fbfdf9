"""Effectiveness measures by ir_measures, from ranks.

`success@k` is what the paper calls Recall@k: 1 when any relevant card is among the first k.
`recall@k` is the set-based recall: the share of a query's relevant cards among the first k.
ir_measures sorts equal scores in a way of its own, so it is given -rank and never the score.
"""

from collections.abc import Sequence

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import RR, R, Success, nDCG

CUTOFFS = (1, 3, 5, 10)
UNKNOWN = "unknown"  # an id is a text, so (UNKNOWN, rank) is none


def measures_at(k: int) -> dict[str, ir_measures.Measure]:
    """The measures of a run of depth k, by column name."""
    cutoffs = sorted({cutoff for cutoff in CUTOFFS if cutoff < k} | {k})
    return {
        **{f"success@{cutoff}": Success @ cutoff for cutoff in cutoffs},
        **{f"recall@{cutoff}": R @ cutoff for cutoff in cutoffs},
        f"mrr@{k}": RR @ k,
        f"ndcg@{k}": nDCG @ k,
    }


def per_query(run: pd.DataFrame, qrels: pd.DataFrame, qids: Sequence[str], k: int) -> pd.DataFrame:
    """Each query's measures: one row for each of `qids`, in that order, one column a measure.

    run: qid, id, rank; a query of `qids` without rows in it is a miss (0 everywhere). qids must be
    the queries that were really run: a query that was not is never counted. A grade below 0 counts
    as 0.
    """
    return values_of(run, qrels, qids, measures_at(k))


def values_of(
    run: pd.DataFrame,
    qrels: pd.DataFrame,
    qids: Sequence[str],
    measures: dict[str, ir_measures.Measure],
) -> pd.DataFrame:
    """The same for any measures by column name."""
    missing = set(run["qid"]) - set(qids)
    if missing:
        raise ValueError(f"the run holds queries that are not evaluated: {sorted(missing)[:3]}")
    names = {measure: name for name, measure in measures.items()}
    values = np.zeros((len(qids), len(measures)))
    columns = {name: place for place, name in enumerate(measures)}
    for metric in ir_measures.iter_calc(list(names), *_coded(run, qrels, qids)):
        values[int(metric.query_id), columns[names[metric.measure]]] = metric.value
    return pd.DataFrame(values, index=pd.Index(qids, name="qid"), columns=list(measures))


def _coded(
    run: pd.DataFrame, qrels: pd.DataFrame, qids: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judgments and run as ir_measures takes them, with numbers for ids.

    Its C code ends a string at a NUL, and an id may hold any character.
    """
    query = {qid: str(place) for place, qid in enumerate(qids)}
    judged = qrels[qrels["qid"].isin(query.keys())]
    codes, _ = pd.factorize(pd.concat([judged["id"], run["id"]]))
    documents = codes.astype(str)
    judgments = pd.DataFrame(
        {
            "query_id": judged["qid"].map(query),
            "doc_id": documents[: len(judged)],
            "relevance": judged["grade"].clip(lower=0),
        }
    )
    ranked = pd.DataFrame(
        {
            "query_id": run["qid"].map(query),
            "doc_id": documents[len(judged) :],
            "score": -run["rank"].astype(float),
        }
    )
    return judgments, ranked


def tie_runs(ties: pd.DataFrame, qrels: pd.DataFrame, k: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The best and the worst run (qid, id, rank) that any order of ties could give.

    ties: qid, id, above, tied, for each relevant card that was scored. Only relevant cards count
    for a measure, so the other places hold fillers.
    """
    graded = ties.merge(qrels[["qid", "id", "grade"]], on=["qid", "id"])
    groups = ["qid", "above"]
    graded = graded.sort_values([*groups, "grade", "id"], ascending=[True, True, False, True])
    place = graded.groupby(groups).cumcount()
    best = graded.assign(rank=graded["above"] + 1 + place)
    worst = graded.assign(rank=graded["above"] + graded["tied"] - place)
    return _with_fillers(best, k), _with_fillers(worst, k)


def _with_fillers(run: pd.DataFrame, k: int) -> pd.DataFrame:
    """The first k places of a run that gives only some of them; the others hold no known card."""
    kept = run.loc[run["rank"] <= k, ["qid", "id", "rank"]]
    taken = set(zip(kept["qid"], kept["rank"], strict=True))
    fillers = [
        (qid, (UNKNOWN, rank), rank)
        for qid in kept["qid"].unique()
        for rank in range(1, k + 1)
        if (qid, rank) not in taken
    ]
    return pd.concat([kept.astype({"id": object}), pd.DataFrame(fillers, columns=kept.columns)])


def measured(
    run: pd.DataFrame,
    candidates: pd.DataFrame,
    ties: pd.DataFrame,
    qrels: pd.DataFrame,
    k: int,
) -> pd.DataFrame:
    """All that is measured of a run, a row a query: qid, candidates, each measure as ranked, and
    each as `<measure>_worst` and `<measure>_best` over all orders of ties.

    candidates: qid, candidates, for every query that was run.
    """
    qids = candidates["qid"].tolist()
    best, worst = tie_runs(ties, qrels, k)
    parts = [
        per_query(run, qrels, qids, k),
        per_query(worst, qrels, qids, k).add_suffix("_worst"),
        per_query(best, qrels, qids, k).add_suffix("_best"),
    ]
    values = pd.concat([candidates.set_index("qid")[["candidates"]], *parts], axis="columns")
    return values.reset_index()
