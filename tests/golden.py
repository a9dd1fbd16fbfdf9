"""The tables that are committed, and making them anew: `make golden`; the tests compare.

`python tests/golden.py results/default results/golden` copies those of a profile.
"""

import shutil
import sys
from pathlib import Path

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

LOCAL_LLM_TABLES = (
    "rq1/agentbench/table2.csv",
    "rq1/agentbench-paraphrased/table2.csv",
    "rq3/toolpool/table4.csv",
    "rq3/toolpool/table5.csv",
    "rq3/toolpool/table5_hits.csv",
    "rq3/toolpool/power.csv",
)

if __name__ == "__main__":
    results, golden = map(Path, sys.argv[1:])
    for table in LOCAL_LLM_TABLES if results.name == "local-llm" else TABLES:
        (golden / table).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(results / table, golden / table)
