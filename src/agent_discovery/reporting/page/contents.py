"""What the page shows, in the papers' order: tables and figures, and the command that makes them.

`{rq2}`, `{rq3}` and `{graph}` in a file's name are the folders of the corpora that ran.
"""

from collections.abc import Mapping
from dataclasses import dataclass

SSR, AAAG = "SSR", "Agent-as-a-Graph"


@dataclass(frozen=True)
class Table:
    """A result table. folded: behind a click; views: a part a view, the primary ones open;
    sizes: a part a registry size.
    """

    file: str
    title: str
    folded: bool = False
    views: bool = False
    sizes: bool = False


@dataclass(frozen=True)
class Figure:
    """A figure, what it shows in words, and the table that it is drawn from (columns of it)."""

    file: str
    alt: str
    table: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """A table or figure of a paper, with what belongs to it."""

    id: str
    paper: str
    title: str
    command: str
    text: str
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()


RQ1, PARAPHRASED = "rq1/agentbench", "rq1/agentbench-paraphrased"
RQ2, RQ3, GRAPH = "rq2/{rq2}", "rq3/{rq3}", "graph/{graph}"
SIZES = ("n", "method")

SECTIONS = (
    Section(
        "figure1", SSR, "Figure 1: how SSR retrieves", "snakemake report",
        "Cards and queries become sets of signals; the Inverted Signal Index leads from a query's "
        "signals to the cards that share one, and only these are scored.",
        figures=(
            Figure(
                "report/figures/figure1.svg",
                "Diagram. Once for a registry: cards, their signals, the Inverted Signal Index. "
                "For each query: signals, candidate set, score and rank, a pool of at most K "
                "cards, of which the LLM selects one.",
                f"{RQ2}/equivalence.csv",
            ),
        ),
    ),
    Section(
        "figure2", SSR, "Figure 2: how SSR-AgentBench is generated", "snakemake report",
        "The authors' generator is not public; this one is ours, from seed 2026, made to the "
        "published counts.",
        figures=(
            Figure(
                "report/figures/figure2.svg",
                "Diagram of five steps: taxonomy, base cards, capability twins, queries, targets, "
                "with how many there are of each.",
                f"{RQ1}/table1.csv",
            ),
        ),
    ),
    Section(
        "table1", SSR, "Table I: SSR-AgentBench", "snakemake rq1",
        "Counts agree by construction. How much of a query's wording its target has is ours to "
        "add: it decides what a lexical method can find.",
        tables=(
            Table(f"{RQ1}/table1.csv", "Queries as published"),
            Table(f"{PARAPHRASED}/table1.csv", "The same queries in other words"),
        ),
    ),
    Section(
        "table2", SSR, "Table II: RQ1, what pre-selection saves", "snakemake rq1",
        "An LLM selects from the full catalog or from SSR's pool of at most K cards. Tokens and "
        "cost are calibrated to the paper's; accuracy is the arbiter's (named below the table).",
        tables=(
            Table(f"{RQ1}/table2.csv", "Queries as published"),
            Table(f"{PARAPHRASED}/table2.csv", "The same queries in other words", folded=True),
            Table(f"{RQ1}/calls.csv", "LLM calls, all sizes and both configurations", folded=True),
            Table(f"{RQ1}/measured/latency.csv", "Latency, measured on this machine", folded=True),
        ),
        figures=(
            Figure(
                f"{RQ1}/figures/tokens_cost.svg",
                "Two line charts on log axes: input tokens and cost of a query against registry "
                "size. The full catalog grows with the registry, SSR stays flat.",
                f"{RQ1}/table2.csv", (*SIZES, "mean_input_tokens", "mean_cost_usd"),
            ),
            Figure(
                f"{RQ1}/figures/recall_accuracy.svg",
                "Three line charts against registry size: candidate recall, selection accuracy and "
                "end-to-end accuracy of the full catalog and of SSR.",
                f"{RQ1}/table2.csv",
                (*SIZES, "candidate_recall", "selection_accuracy", "end_to_end_accuracy"),
            ),
            Figure(
                f"{PARAPHRASED}/figures/recall_accuracy.svg",
                "The same three line charts for the queries in other words: SSR's candidate recall "
                "falls as the registry grows.",
                f"{PARAPHRASED}/table2.csv",
                (*SIZES, "candidate_recall", "selection_accuracy", "end_to_end_accuracy"),
            ),
            Figure(
                f"{RQ1}/measured/latency.svg",
                "Line chart, measured: mean end-to-end latency in milliseconds against registry "
                "size, full catalog and SSR.",
                f"{RQ1}/measured/latency.csv", (*SIZES, "stage", "wall_ms_mean"),
            ),
        ),
    ),
    Section(
        "table3", SSR, "Table III: RQ2, does it find the right cards", "snakemake rq2",
        "Five retrieval methods on all queries (the full scan on the common sample). The paper's "
        "Recall@k is Success@k here.",
        tables=(
            Table(f"{RQ2}/table3.csv", "All queries"),
            Table(f"{RQ2}/table3_sample.csv", "The common sample", folded=True),
            Table(f"{RQ2}/comparison.csv", "Paired differences", folded=True),
            Table(f"{RQ2}/equivalence.csv", "SSR against the full scan"),
            Table(f"{RQ2}/table3_by_source.csv", "By source of the cards", folded=True),
            Table(f"{RQ2}/ties.csv", "Ties at the last place of the pool", folded=True),
            Table(f"{RQ2}/search_forms.csv", "Other forms of the same search", folded=True),
            Table(
                f"{RQ2}/measured/latency.csv",
                "Retrieval latency, measured on this machine", folded=True,
            ),
        ),
        figures=(
            Figure(
                f"{RQ2}/figures/effectiveness.svg",
                "Points with whiskers: Success at 1, 3, 5 and 10, MRR and nDCG of TF-IDF, BM25, "
                "plain overlap and SSR, with 95% intervals and what any order of ties could give.",
                f"{RQ2}/table3.csv", ("method", "queries", "success@", "mrr@", "ndcg@"),
            ),
            Figure(
                f"{RQ2}/figures/candidates_by_size.svg",
                "Line chart on log axes: cards scored for a query against registry size. SSR's "
                "line lies below the full scan's.",
                f"{RQ2}/candidates_by_size.csv",
            ),
        ),
    ),
    Section(
        "table4", SSR, "Table IV: RQ3, what is selected in the end", "snakemake rq3",
        "Registries of rising size, three ways to fill the prompt. Recall, tokens, cost and the "
        "size at which the full catalog fails need no LLM; accuracy is the arbiter's.",
        tables=(
            Table(f"{RQ3}/table4.csv", "Full catalog, SSR and BM25", sizes=True),
            Table(f"{RQ3}/recall.csv", "Candidate recall beside the paper's", folded=True),
            Table(f"{RQ3}/context_windows.csv", "Where prompts of the full catalog fail"),
            Table(f"{RQ3}/k_validation.csv", "K chosen on other queries", folded=True),
            Table(f"{RQ3}/measured/latency.csv", "Latency, measured on this machine", folded=True),
        ),
        figures=(
            Figure(
                f"{RQ3}/figures/recall_accuracy.svg",
                "Three line charts against registry size: candidate recall, selection accuracy and "
                "end-to-end accuracy of the full catalog, SSR and BM25.",
                f"{RQ3}/table4.csv",
                (*SIZES, "candidate_recall", "selection_accuracy", "end_to_end_accuracy"),
            ),
            Figure(
                f"{RQ3}/figures/tokens.svg",
                "Line chart on log axes: input tokens of a query against registry size, with "
                "context windows as dashed lines that the full catalog crosses.",
                f"{RQ3}/full_catalog_tokens.csv",
            ),
            Figure(
                f"{RQ3}/figures/budget.svg",
                "Two line charts against the budget K: recall and accuracy on the sample, and "
                "recall on the validation and test sides, with the K that the rule chooses.",
                f"{RQ3}/k_sensitivity.csv",
                (*SIZES, "k", "candidate_recall", "end_to_end_accuracy"),
            ),
            Figure(
                f"{RQ3}/measured/latency.svg",
                "Line chart, measured: mean end-to-end latency in milliseconds against registry "
                "size for the three methods.",
                f"{RQ3}/measured/latency.csv", (*SIZES, "stage", "wall_ms_mean"),
            ),
        ),
    ),
    Section(
        "table5", SSR, "Table V: RQ3, paired tests", "snakemake rq3",
        "McNemar's test of each pair of methods at each size. With a stand-in arbiter the p-values "
        "of end-to-end correctness are stand-ins; those of candidate hits need no LLM.",
        tables=(
            Table(f"{RQ3}/table5.csv", "End-to-end correctness"),
            Table(f"{RQ3}/table5_summary.csv", "How many sizes differ"),
            Table(f"{RQ3}/table5_hits.csv", "Candidate hits, SSR against BM25"),
            Table(f"{RQ3}/power.csv", "What such tests could find", folded=True),
        ),
    ),
    Section(
        "table6", SSR, "Table VI: SSR beside other systems", "snakemake report",
        "The paper names these systems; the columns are ours, and say only what the papers' text "
        "says. Below it, what runs here with its own figures.",
        tables=(
            Table("table6.csv", "The systems that the paper names"),
            Table("table6_running.csv", "What runs here"),
            Table("measured/table6.csv", "Milliseconds a query, measured on this machine"),
        ),
    ),
    Section(
        "graph1", AAAG, "Table 1: baselines", "snakemake graph",
        "Recall, mAP and nDCG of the agents found. The paper does not say how the steps of a task "
        "become one figure, so there is a part for each view: pool and direct keep a budget of K "
        "agents a task; its Recall is nearest to union, its nDCG to step.",
        tables=(
            Table(f"{GRAPH}/statistics.csv", "The data"),
            Table(f"{GRAPH}/baselines.csv", "Baselines", views=True),
            Table(
                f"{GRAPH}/significance.csv", "Paired tests against Agent-as-a-Graph",
                folded=True, views=True,
            ),
            Table(
                f"{GRAPH}/conclusions.csv", "Conclusions that change with the labels",
                folded=True, views=True,
            ),
        ),
        figures=(
            Figure(
                f"{GRAPH}/figures/graph.svg",
                "Each agent as a hub with its tools around it; the hub's colour says for how many "
                "tasks the agent is relevant.",
                f"{GRAPH}/agents.csv",
            ),
        ),
    ),
    Section(
        "graph2", AAAG, "Table 2: encoders", "snakemake graph",
        "The paper compares eight encoders; those that did not run are listed with what they need.",
        tables=(Table(f"{GRAPH}/encoders.csv", "Encoders", views=True),),
    ),
    Section(
        "graph3", AAAG, "Table 3: weights of agent and tool nodes", "snakemake graph",
        "Reciprocal rank fusion with a weight for each type of node, 3:1 to 1:3.",
        tables=(
            Table(f"{GRAPH}/weights.csv", "Weights", folded=True, views=True),
            Table(f"{GRAPH}/shares.csv", "Where items come from", folded=True),
        ),
        figures=(
            Figure(
                f"{GRAPH}/figures/weights.svg",
                "Line charts: Recall and nDCG against the ratio of agent and tool weight, two "
                "forms of fusion, a row for each encoder, with 95% intervals.",
                f"{GRAPH}/weights.csv",
                ("view", "encoder", "form", "weights", "recall@5", "ndcg@5"),
            ),
            Figure(
                f"{GRAPH}/figures/shares.svg",
                "Line charts: the share of the first items that agent nodes bring, against the "
                "ratio of weights, a panel for each encoder.",
                f"{GRAPH}/shares.csv",
                ("encoder", "method", "weights", "source", "items", "agent"),
            ),
        ),
    ),
)  # fmt: skip


def page_files(folders: Mapping[str, str]) -> list[str]:
    """The files that the page reads, below the profile's folder, each once."""
    names = [
        name
        for section in SECTIONS
        for name in (
            *(table.file for table in section.tables),
            *(name for figure in section.figures for name in (figure.file, figure.table)),
        )
    ]
    parts = (RQ1, RQ2, RQ3, GRAPH)
    return list(
        dict.fromkeys(
            name.format(**folders)
            for name in (*names, *(f"{part}/provenance.json" for part in parts))
        )
    )
