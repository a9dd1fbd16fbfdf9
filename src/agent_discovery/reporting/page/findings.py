"""What was found, in sentences whose numbers and directions are read from the result tables."""

from agent_discovery.reporting.page.contents import GRAPH, PARAPHRASED, RQ1, RQ2, RQ3
from agent_discovery.reporting.page.reading import (
    Finding,
    Missing,
    deepest,
    order_of,
    percent,
    published_of,
    row_of,
    table_of,
    value_of,
    with_interval,
)
from agent_discovery.reporting.page.results import Results
from agent_discovery.reporting.tables import written

SSR, BM25, FULL, OVERLAP = "SSR", "BM25", "Full catalog", "Structural Overlap + ISI"
GRAPH_NAME, AGENTS_ONLY, FORM = "Agent-as-a-Graph", "Agent-only", "Type-specific wRRF"
PAPERS_RATIO = "1.5:1"


def saved(results: Results) -> Finding:
    table = table_of(results, f"{RQ1}/table2.csv")
    n = int(table["n"].max())
    full, ssr = (row_of(table, n=n, method=method) for method in (FULL, SSR))
    return Finding(
        f"Pre-selection saves {value_of(ssr, 'mean_input_tokens_saved')} of the input tokens at "
        f"N = {n:,}",
        f"On SSR-AgentBench a prompt with the full catalog has "
        f"{value_of(full, 'mean_input_tokens')} tokens, one with SSR's pool "
        f"{value_of(ssr, 'mean_input_tokens')}. The benchmark was made to the paper's token "
        "counts, so this is called calibrated, not reproduced.",
        (f"{RQ1}/table2.csv",),
    )


def order_of_methods(results: Results) -> Finding:
    table = table_of(results, f"{RQ2}/table3.csv")
    rows = {method: row_of(table, method=method) for method in (BM25, SSR, OVERLAP)}
    measure = deepest(table, "success")
    order = order_of({method: float(row[measure]) for method, row in rows.items()})
    values = ", ".join(f"{method} {with_interval(row, measure)}" for method, row in rows.items())
    return Finding(
        f"On {rows[SSR]['corpus']}: {order}",
        f"Success@{measure.split('@')[1]}, the share of queries with a relevant card among the "
        f"first {measure.split('@')[1]}: {values}. On MS MARCO the paper has BM25 at "
        f"{published_of(results, 'rq2-bm25-recall')} and SSR at "
        f"{published_of(results, 'rq2-ssr-recall')}, which is "
        f"{published_of(results, 'rq2-idf-success')} over plain overlap.",
        (f"{RQ2}/table3.csv",),
    )


def catalog_fails(results: Results) -> Finding:
    windows, table4 = (table_of(results, f"{RQ3}/{t}.csv") for t in ("context_windows", "table4"))
    window = row_of(windows, context_window=128000)
    n = int(table4["n"].max())
    answered = {
        method: row_of(table4, n=n, method=method)["api_success_rate"] for method in (FULL, SSR)
    }
    return Finding(
        "The full catalog outgrows 128,000 tokens at about "
        f"{value_of(window, 'fails_at_n_median')} cards",
        f"Between {value_of(window, 'fails_at_n_smallest')} and "
        f"{value_of(window, 'fails_at_n_largest')} cards, by query. At N = {n:,} "
        f"{percent(answered[FULL])} of the full catalog's calls are answered, and "
        f"{percent(answered[SSR])} of SSR's.",
        (f"{RQ3}/context_windows.csv", f"{RQ3}/table4.csv"),
    )


def graph_helps(results: Results) -> Finding:
    table = table_of(results, f"{GRAPH}/baselines.csv")
    rows = {name: row_of(table, view="pool", method=name) for name in (GRAPH_NAME, AGENTS_ONLY)}
    measure = deepest(table, "recall")
    better = rows[GRAPH_NAME][measure] > rows[AGENTS_ONLY][measure]
    values = ", ".join(f"{name} {with_interval(row, measure)}" for name, row in rows.items())
    return Finding(
        f"Tools as nodes {'help' if better else 'do not help'} to find agents",
        f"Recall@{measure.split('@')[1]} with a budget of {measure.split('@')[1]} agents a task "
        f"({rows[GRAPH_NAME]['encoder']}): {values}.",
        (f"{GRAPH}/baselines.csv", f"{GRAPH}/significance.csv"),
    )


def ties(results: Results) -> Finding:
    table = table_of(results, f"{RQ2}/ties.csv")
    table3 = table_of(results, f"{RQ2}/table3.csv")
    measure = deepest(table3, "success")
    told = []
    for method in (SSR, BM25, OVERLAP):
        row, bounds = row_of(table, method=method), row_of(table3, method=method)
        ends = " to ".join(
            written(bounds[f"{measure}_{end}"], measure) for end in ("worst", "best")
        )
        told.append(f"{method}: {percent(row['tied_share'])} of queries, {ends}")
    ssr = row_of(table, method=SSR)
    return Finding(
        f"Ties decide SSR's last place for {percent(ssr['tied_share'])} of queries",
        f"The share of {ssr['queries']:,} queries whose places {ssr['k']} and {ssr['k'] + 1} have "
        f"the same score, and what any order of ties could make of "
        f"Success@{measure.split('@')[1]}. {'; '.join(told)}. The paper breaks ties by the rising "
        "identifier, the authors' script for RQ2 by the falling one.",
        (f"{RQ2}/ties.csv", f"{RQ2}/table3.csv"),
    )


def which_recall(results: Results) -> Finding:
    table = table_of(results, f"{RQ2}/table3.csv")
    row = row_of(table, method=SSR)
    k = deepest(table, "success").split("@")[1]
    return Finding(
        "Which recall is meant matters",
        f"What SSR's paper calls Recall@{k} is 1 when any relevant card is found: "
        f"{value_of(row, f'success@{k}')} for SSR on {row['corpus']}. The share of a query's "
        f"relevant cards that is found is {value_of(row, f'recall@{k}')}.",
        (f"{RQ2}/table3.csv",),
    )


def which_view(results: Results) -> Finding:
    table = table_of(results, f"{GRAPH}/baselines.csv")
    measure = deepest(table, "recall")
    rows = table[table["method"] == GRAPH_NAME]
    told = ", ".join(f"{row['view']} {value_of(row, measure)}" for _, row in rows.iterrows())
    published = published_of(results, "graph-recall")
    nearest = rows.loc[(rows[measure] - float(published)).abs().idxmin(), "view"]
    return Finding(
        "Agent-as-a-Graph's figures depend on how steps become one answer",
        f"{measure.replace('recall', 'Recall')} of one and the same retriever by view: {told}. "
        f"The paper's is {published}, to which {nearest} is nearest; that the paper means it is "
        "our inference. Union keeps no budget: it returns more than K agents a task.",
        (f"{GRAPH}/baselines.csv",),
    )


def swapped(results: Results) -> Finding | None:
    table = table_of(results, f"{GRAPH}/statistics.csv")
    row = table.iloc[0]
    steps, tools = (
        published_of(results, f"graph-{name}") for name in ("steps", "tools-a-question")
    )
    if (value_of(row, "tools_a_query"), value_of(row, "steps_a_query")) != (steps, tools):
        return None
    return Finding(
        "Two published averages look swapped",
        f"LiveMCPBench has {value_of(row, 'steps_a_query')} steps and "
        f"{value_of(row, 'tools_a_query')} tools a task; the paper gives {steps} steps and "
        f"{tools} tools.",
        (f"{GRAPH}/statistics.csv",),
    )


def weights(results: Results) -> Finding:
    table = table_of(results, f"{GRAPH}/weights.csv")
    measure = deepest(table, "recall")
    rows = table[(table["view"] == "pool") & (table["form"] == FORM)]
    told, lower = [], []
    for encoder, part in rows.groupby("encoder", sort=False):
        best = part.loc[part[measure].idxmax()]
        even, heavier = (row_of(part, weights=ratio) for ratio in ("1:1", PAPERS_RATIO))
        lower.append(heavier[measure] < even[measure])
        at = [f"{value_of(row, measure)} at {row['weights']}" for row in (even, heavier)]
        told.append(
            f"{encoder}: {', '.join(at)}, greatest {value_of(best, measure)} at {best['weights']}"
        )
    if not told:
        raise Missing("pool")
    return Finding(
        f"{PAPERS_RATIO}, the paper's best weights, lowers Recall with {sum(lower)} of "
        f"{len(lower)} encoders",
        f"{measure.replace('recall', 'Recall')} in the view pool. {'; '.join(told)}.",
        (f"{GRAPH}/weights.csv",),
    )


def pool_tokens(results: Results) -> Finding:
    table = table_of(results, f"{RQ3}/table4.csv")
    n = int(table["n"].max())
    ssr, bm25 = (row_of(table, n=n, method=method) for method in (SSR, BM25))
    more = ssr["mean_input_tokens"] / bm25["mean_input_tokens"] - 1
    return Finding(
        f"SSR's pools cost {written(abs(more), 'mean_cost_usd_saved')} "
        f"{'more' if more > 0 else 'fewer'} tokens than BM25's",
        f"At N = {n:,}, with the same budget of {ssr['k']:.0f} cards: "
        f"{value_of(ssr, 'mean_input_tokens')} input tokens a query against "
        f"{value_of(bm25, 'mean_input_tokens')}. BM25's score falls with a card's length, SSR's "
        "does not.",
        (f"{RQ3}/table4.csv",),
    )


def paraphrased(results: Results) -> Finding:
    plain, other = (table_of(results, f"{rq}/table2.csv") for rq in (RQ1, PARAPHRASED))
    n = int(other["n"].max())
    rows = [row_of(table, n=n, method=SSR) for table in (plain, other)]
    return Finding(
        f"In other words, SSR's recall is {percent(rows[1]['candidate_recall'])}",
        f"Candidate recall at N = {n:,} is {with_interval(rows[0], 'candidate_recall')} for the "
        f"queries as published, {with_interval(rows[1], 'candidate_recall')} for the same queries "
        "paraphrased. SSR matches words, so it finds what shares them.",
        (f"{RQ1}/table2.csv", f"{PARAPHRASED}/table2.csv", f"{PARAPHRASED}/table1.csv"),
    )


def budget(results: Results) -> Finding:
    table = table_of(results, f"{RQ3}/k_validation.csv")
    chosen = table[table["selected"] & (table["side"] == "validation")]
    if chosen.empty:
        raise Missing("selected")
    told = ", ".join(f"K = {row['k']} for {row['method']}" for row in chosen.to_dict("records"))
    return Finding(
        "The budget K depends on the corpus",
        f"By the paper's rule (the smallest K within 0.02 of the largest K's recall) "
        f"{chosen['queries'].iloc[0]:,} queries of {chosen['corpus'].iloc[0]} choose {told}, of at "
        f"most {table['k'].max()}; on MS MARCO the paper's choice was "
        f"{published_of(results, 'rq3-k-validation')}.",
        (f"{RQ3}/k_validation.csv",),
    )


def power(results: Results) -> Finding:
    table = table_of(results, f"{RQ3}/power.csv")
    n = int(table["n"].max())
    row = row_of(table, n=n, method=SSR, baseline=BM25)
    points = 100 * float(value_of(row, "least_difference"))
    return Finding(
        "A test that finds nothing may be too small to find it",
        f"At N = {n:,} SSR and BM25 differ on {percent(row['discordant'])} of {row['queries']} "
        f"queries (arbiter: {row['arbiter']}). McNemar's test then finds a difference of "
        f"{points:.1f} percentage points with 80% power, and smaller ones less often.",
        (f"{RQ3}/power.csv", f"{RQ3}/table5.csv"),
    )


HEADLINES = (saved, order_of_methods, catalog_fails, graph_helps)
UNSAID = (
    ties, which_recall, which_view, swapped, weights, pool_tokens, paraphrased, budget, power,
)  # fmt: skip
