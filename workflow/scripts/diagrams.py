from pathlib import Path

import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.reporting.diagrams import benchmark_figure, retrieval_figure

with one_line_errors():
    given, folder = snakemake.input, Path(snakemake.output[0]).parent
    table3, equivalence = pd.read_csv(given.table3), pd.read_csv(given.equivalence)
    retrieval_figure(table3, equivalence, folder / "figure1")
    benchmark_figure(pd.read_csv(given.table1), folder / "figure2")
