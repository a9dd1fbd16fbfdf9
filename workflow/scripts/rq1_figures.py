from pathlib import Path

import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.reporting.selection_figures import cost_figure, latency_figure, rates_figure

with one_line_errors():
    table2 = pd.read_csv(snakemake.input.table2)
    title = f"{snakemake.wildcards.corpus}, arbiter: {table2['arbiter'].iloc[0]}"
    folder, measured = (
        Path(paths[0]).parent for paths in (snakemake.output.figures, snakemake.output.measured)
    )
    cost_figure(table2, folder / "tokens_cost", title)
    rates_figure(table2, folder / "recall_accuracy", title)
    latency_figure(pd.read_csv(snakemake.input.latency), measured / "latency", title)
