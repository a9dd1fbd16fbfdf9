"""What was found, in sentences whose numbers and directions are read from the result tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from agent_discovery.reporting.page.contents import GRAPH, PARAPHRASED, RQ1, RQ2, RQ3
from agent_discovery.reporting.page.results import Results
from agent_discovery.reporting.tables import written

SSR, BM25, FULL, OVERLAP = "SSR", "BM25", "Full catalog", "Structural Overlap + ISI"
GRAPH_NAME, AGENTS_ONLY, FORM = "Agent-as-a-Graph", "Agent-only", "Type-specific wRRF"
PAPERS_RATIO = "1.5:1"


@dataclass(frozen=True)
class Finding:
    """A finding: a head, a sentence or two, and the tables that its numbers are from."""

    head: str
    text: str
    sources: tuple[str, ...]


Found = Callable[[Results], Finding | None]


class Missing(Exception):
    """A table, row or value that a finding needs is not there."""


def found(results: Results, wanted: Sequence[Found]) -> list[Finding]:
    """The findings that the tables there are can tell."""
    told = []
    for finding in wanted:
        try:
            told.append(finding(results))
        except Missing:
            continue
    return [finding for finding in told if finding is not None]


def _table(results: Results, name: str) -> pd.DataFrame:
    table = results.table(name)
    if table is None or table.empty:
        raise Missing(name)
    return table


def _row(table: pd.DataFrame, **wanted: object) -> pd.Series:
    for column, value in wanted.items():
        table = table[table[column] == value] if column in table else table[:0]
    if len(table) != 1:
        raise Missing(str(wanted))
    return table.iloc[0]


def _value(row: pd.Series, column: str) -> str:
    if row.get(column) is None or pd.isna(row[column]):
        raise Missing(column)
    return written(row[column], column)


def _published(results: Results, claim: str) -> str:
    if claim not in results.published:
        raise Missing(claim)
    return results.published[claim]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _with_interval(row: pd.Series, column: str) -> str:
    low, high = (written(row[f"{column}{end}"], column) for end in ("_low", "_high"))
    return f"{_value(row, column)} [{low}, {high}]"


def _order(values: dict[str, float]) -> str:
    """Names from the greatest value to the smallest."""
    return " above ".join(sorted(values, key=lambda name: -values[name]))


def saved(results: Results) -> Finding:
    table = _table(results, f"{RQ1}/table2.csv")
    n = int(table["n"].max())
    full, ssr = (_row(table, n=n, method=method) for method in (FULL, SSR))
    return Finding(
        f"Pre-selection saves {_value(ssr, 'mean_input_tokens_saved')} of the input tokens at "
        f"N = {n:,}",
        f"On SSR-AgentBench a prompt with the full catalog has "
        f"{_value(full, 'mean_input_tokens')} tokens, one with SSR's pool "
        f"{_value(ssr, 'mean_input_tokens')}. The benchmark was made to the paper's token counts, "
        "so this is called calibrated, not reproduced.",
        (f"{RQ1}/table2.csv",),
    )


def order_of_methods(results: Results) -> Finding:
    table = _table(results, f"{RQ2}/table3.csv")
    rows = {method: _row(table, method=method) for method in (BM25, SSR, OVERLAP)}
    measure = _deepest(table, "success")
    order = _order({method: float(row[measure]) for method, row in rows.items()})
    values = ", ".join(f"{method} {_with_interval(row, measure)}" for method, row in rows.items())
    return Finding(
        f"On {rows[SSR]['corpus']}: {order}",
        f"Success@{measure.split('@')[1]}, the share of queries with a relevant card among the "
        f"first {measure.split('@')[1]}: {values}. On MS MARCO the paper has BM25 at "
        f"{_published(results, 'rq2-bm25-recall')} and SSR at "
        f"{_published(results, 'rq2-ssr-recall')}, {_published(results, 'rq2-idf-success')} over "
        "plain overlap.",
        (f"{RQ2}/table3.csv",),
    )


def catalog_fails(results: Results) -> Finding:
    windows, table4 = (_table(results, f"{RQ3}/{t}.csv") for t in ("context_windows", "table4"))
    window = _row(windows, context_window=128000)
    n = int(table4["n"].max())
    answered = {
        method: _row(table4, n=n, method=method)["api_success_rate"] for method in (FULL, SSR)
    }
    return Finding(
        f"The full catalog outgrows 128,000 tokens at about {_value(window, 'fails_at_n_median')} "
        "cards",
        f"Between {_value(window, 'fails_at_n_smallest')} and "
        f"{_value(window, 'fails_at_n_largest')} cards, by query. At N = {n:,} "
        f"{_percent(answered[FULL])} of the full catalog's calls are answered, and "
        f"{_percent(answered[SSR])} of SSR's.",
        (f"{RQ3}/context_windows.csv", f"{RQ3}/table4.csv"),
    )


def graph_helps(results: Results) -> Finding:
    table = _table(results, f"{GRAPH}/baselines.csv")
    rows = {name: _row(table, view="pool", method=name) for name in (GRAPH_NAME, AGENTS_ONLY)}
    measure = _deepest(table, "recall")
    better = rows[GRAPH_NAME][measure] > rows[AGENTS_ONLY][measure]
    values = ", ".join(f"{name} {_with_interval(row, measure)}" for name, row in rows.items())
    return Finding(
        f"Tools as nodes {'help' if better else 'do not help'} to find agents",
        f"Recall@{measure.split('@')[1]} with a budget of {measure.split('@')[1]} agents a task "
        f"({rows[GRAPH_NAME]['encoder']}): {values}.",
        (f"{GRAPH}/baselines.csv", f"{GRAPH}/significance.csv"),
    )


def ties(results: Results) -> Finding:
    table = _table(results, f"{RQ2}/ties.csv")
    table3 = _table(results, f"{RQ2}/table3.csv")
    measure = _deepest(table3, "success")
    told = []
    for method in (SSR, BM25, OVERLAP):
        row, bounds = _row(table, method=method), _row(table3, method=method)
        ends = " to ".join(written(bounds[f"{measure}_{end}"], measure) for end in ("worst", "best"))
        told.append(f"{method}: {_percent(row['tied_share'])} of queries, {ends}")
    ssr = _row(table, method=SSR)
    return Finding(
        f"Ties decide SSR's last place for {_percent(ssr['tied_share'])} of queries",
        f"The share of {ssr['queries']:,} queries whose places {ssr['k']} and {ssr['k'] + 1} have "
        f"the same score, and what any order of ties could make of "
        f"Success@{measure.split('@')[1]}. {'; '.join(told)}. The paper breaks ties by the rising "
        "identifier, the authors' script for RQ2 by the falling one.",
        (f"{RQ2}/ties.csv", f"{RQ2}/table3.csv"),
    )


def which_recall(results: Results) -> Finding:
    table = _table(results, f"{RQ2}/table3.csv")
    row = _row(table, method=SSR)
    k = _deepest(table, "success").split("@")[1]
    return Finding(
        "Which recall is meant matters",
        f"What SSR's paper calls Recall@{k} is 1 when any relevant card is found: "
        f"{_value(row, f'success@{k}')} for SSR on {row['corpus']}. The share of a query's relevant "
        f"cards that is found is {_value(row, f'recall@{k}')}.",
        (f"{RQ2}/table3.csv",),
    )


def which_view(results: Results) -> Finding:
    table = _table(results, f"{GRAPH}/baselines.csv")
    measure = _deepest(table, "recall")
    rows = table[table["method"] == GRAPH_NAME]
    told = ", ".join(f"{row['view']} {_value(row, measure)}" for _, row in rows.iterrows())
    published = _published(results, "graph-recall")
    nearest = rows.loc[(rows[measure] - float(published)).abs().idxmin(), "view"]
    return Finding(
        "Agent-as-a-Graph's figures depend on how steps become one answer",
        f"{measure.replace('recall', 'Recall')} of one and the same retriever by view: {told}. "
        f"The paper's is {published}, to which {nearest} is nearest; that it is what the paper means "
        "is our inference. Union keeps no budget: it returns more than K agents a task.",
        (f"{GRAPH}/baselines.csv",),
    )


def swapped(results: Results) -> Finding | None:
    table = _table(results, f"{GRAPH}/statistics.csv")
    row = table.iloc[0]
    steps, tools = (_published(results, f"graph-{name}") for name in ("steps", "tools-a-question"))
    if (_value(row, "tools_a_query"), _value(row, "steps_a_query")) != (steps, tools):
        return None
    return Finding(
        "Two published averages look swapped",
        f"LiveMCPBench has {_value(row, 'steps_a_query')} steps and "
        f"{_value(row, 'tools_a_query')} tools a task; the paper gives {steps} steps and "
        f"{tools} tools.",
        (f"{GRAPH}/statistics.csv",),
    )


def weights(results: Results) -> Finding:
    table = _table(results, f"{GRAPH}/weights.csv")
    measure = _deepest(table, "recall")
    rows = table[(table["view"] == "pool") & (table["form"] == FORM)]
    told, lower = [], []
    for encoder, part in rows.groupby("encoder", sort=False):
        best = part.loc[part[measure].idxmax()]
        even, heavier = (_row(part, weights=ratio) for ratio in ("1:1", PAPERS_RATIO))
        lower.append(heavier[measure] < even[measure])
        at = [f"{_value(row, measure)} at {row['weights']}" for row in (even, heavier)]
        told.append(
            f"{encoder}: {', '.join(at)}, greatest {_value(best, measure)} at {best['weights']}"
        )
    if not told:
        raise Missing("pool")
    return Finding(
        f"{PAPERS_RATIO}, the paper's best weights, lowers Recall with {sum(lower)} of {len(lower)} "
        "encoders",
        f"{measure.replace('recall', 'Recall')} in the view pool. {'; '.join(told)}.",
        (f"{GRAPH}/weights.csv",),
    )


def pool_tokens(results: Results) -> Finding:
    table = _table(results, f"{RQ3}/table4.csv")
    n = int(table["n"].max())
    ssr, bm25 = (_row(table, n=n, method=method) for method in (SSR, BM25))
    more = ssr["mean_input_tokens"] / bm25["mean_input_tokens"] - 1
    return Finding(
        f"SSR's pools cost {written(abs(more), 'mean_cost_usd_saved')} "
        f"{'more' if more > 0 else 'fewer'} tokens than BM25's",
        f"At N = {n:,}, with the same budget of {ssr['k']:.0f} cards: "
        f"{_value(ssr, 'mean_input_tokens')} input tokens a query against "
        f"{_value(bm25, 'mean_input_tokens')}. BM25's score falls with a card's length, SSR's does "
        "not.",
        (f"{RQ3}/table4.csv",),
    )


def paraphrased(results: Results) -> Finding:
    plain, other = (_table(results, f"{rq}/table2.csv") for rq in (RQ1, PARAPHRASED))
    n = int(other["n"].max())
    rows = [_row(table, n=n, method=SSR) for table in (plain, other)]
    return Finding(
        f"In other words, SSR's recall is {_percent(rows[1]['candidate_recall'])}",
        f"Candidate recall at N = {n:,} is {_with_interval(rows[0], 'candidate_recall')} for the "
        f"queries as published, {_with_interval(rows[1], 'candidate_recall')} for the same queries "
        "paraphrased. SSR matches words, so it finds what shares them.",
        (f"{RQ1}/table2.csv", f"{PARAPHRASED}/table2.csv", f"{PARAPHRASED}/table1.csv"),
    )


def budget(results: Results) -> Finding:
    table = _table(results, f"{RQ3}/k_validation.csv")
    chosen = table[table["selected"] & (table["side"] == "validation")]
    if chosen.empty:
        raise Missing("selected")
    told = ", ".join(f"K = {row['k']} for {row['method']}" for row in chosen.to_dict("records"))
    return Finding(
        "The budget K depends on the corpus",
        f"By the paper's rule (the smallest K within 0.02 of the largest K's recall) "
        f"{chosen['queries'].iloc[0]:,} queries of {chosen['corpus'].iloc[0]} choose {told}, of at "
        f"most {table['k'].max()}; on MS MARCO the paper's choice was "
        f"{_published(results, 'rq3-k-validation')}.",
        (f"{RQ3}/k_validation.csv",),
    )


def power(results: Results) -> Finding:
    table = _table(results, f"{RQ3}/power.csv")
    n = int(table["n"].max())
    row = _row(table, n=n, method=SSR, baseline=BM25)
    points = 100 * float(_value(row, "least_difference"))
    return Finding(
        "A test that finds nothing may be too small to find it",
        f"At N = {n:,} SSR and BM25 differ on {_percent(row['discordant'])} of {row['queries']} "
        f"queries (arbiter: {row['arbiter']}). McNemar's test then finds a difference of "
        f"{points:.1f} percentage points with 80% power, and smaller ones less often.",
        (f"{RQ3}/power.csv", f"{RQ3}/table5.csv"),
    )


def _deepest(table: pd.DataFrame, kind: str) -> str:
    names = [name for name in table if name.startswith(f"{kind}@") and name.count("_") == 0]
    if not names:
        raise Missing(kind)
    return max(names, key=lambda name: int(name.split("@")[1]))


HEADLINES = (saved, order_of_methods, catalog_fails, graph_helps)
UNSAID = (
    ties, which_recall, which_view, swapped, weights, pool_tokens, paraphrased, budget, power,
)  # fmt: skip
