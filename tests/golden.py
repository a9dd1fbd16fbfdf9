"""The tables that are committed, and making them anew: `make golden`; the tests compare.

`python tests/golden.py results/default results/golden` copies those of a profile.
"""

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from agent_discovery.reporting.overview_figure import overview_figure

TABLES = (
    "rq1/agentbench/table1.csv",
    "rq1/agentbench/table2.csv",
    "rq1/agentbench-paraphrased/table1.csv",
    "rq1/agentbench-paraphrased/table2.csv",
    "rq2/toolpool/table3.csv",
    "rq2/toolpool/table3_sample.csv",
    "rq2/toolpool/table3_by_source.csv",
    "rq2/toolpool/comparison.csv",
    "rq2/toolpool/equivalence.csv",
    "rq2/toolpool/search_forms.csv",
    "rq2/toolpool/candidates_by_size.csv",
    "rq2/toolpool/ties.csv",
    "rq3/toolpool/table4.csv",
    "rq3/toolpool/table5.csv",
    "rq3/toolpool/table5_hits.csv",
    "rq3/toolpool/table5_summary.csv",
    "rq3/toolpool/power.csv",
    "rq3/toolpool/recall.csv",
    "rq3/toolpool/k_sensitivity.csv",
    "rq3/toolpool/k_validation.csv",
    "rq3/toolpool/context_windows.csv",
    "rq3/toolpool/full_catalog_tokens.csv",
    "verdicts/toolpool/verdicts.csv",
    "table6.csv",
    *(
        f"graph/livemcpbench/{table}.csv"
        for table in (
            "baselines",
            "significance",
            "encoders",
            "weights",
            "shares",
            "statistics",
            "sensitivity",
            "conclusions",
            "agents",
        )
    ),
    "verdicts/livemcpbench/agent_as_a_graph.csv",
)

# Of `snakemake robustness`, which is no part of `reproduce-all`.
ROBUSTNESS_TABLES = (
    "robustness/agentbench/reach.csv",
    "robustness/agentbench/choice.csv",
    "robustness/toolpool/reach.csv",
    "robustness/livemcpbench/claims.csv",
)

LOCAL_LLM_TABLES = (
    "rq1/agentbench/table2.csv",
    "rq1/agentbench-paraphrased/table2.csv",
    "rq3/toolpool/table4.csv",
    "rq3/toolpool/table5.csv",
    "rq3/toolpool/table5_hits.csv",
    "rq3/toolpool/power.csv",
    "robustness/agentbench/choice.csv",
)

OVERVIEW = "docs/overview.svg"  # the README's picture


def draw_overview(golden: Path, folder: Path) -> Path:
    """Draw the README's picture of the golden tables in `folder`; returns the SVG's path."""
    tables = ("rq1/agentbench/table2", "rq3/toolpool/table4", "graph/livemcpbench/baselines")
    path = folder / "overview"
    overview_figure(*(pd.read_csv(golden / f"{table}.csv") for table in tables), path)
    return path.with_suffix(".svg")


if __name__ == "__main__":
    results, golden = map(Path, sys.argv[1:])
    default = (*TABLES, *ROBUSTNESS_TABLES)
    for table in LOCAL_LLM_TABLES if results.name == "local-llm" else default:
        (golden / table).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(results / table, golden / table)
    if results.name != "local-llm":
        with TemporaryDirectory() as drawn:
            shutil.copyfile(draw_overview(golden, Path(drawn)), OVERVIEW)
