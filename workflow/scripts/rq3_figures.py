from pathlib import Path

import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.reporting.rq3_figures import depth_figure, tokens_figure
from agent_discovery.reporting.selection_figures import latency_figure, rates_figure

with one_line_errors():
    given, output = snakemake.input, snakemake.output
    table4, windows = pd.read_csv(given.table4), pd.read_csv(given.windows)
    title = f"{table4['corpus'].iloc[0]}, arbiter: {table4['arbiter'].iloc[0]}"
    folder, measured = (Path(paths[0]).parent for paths in (output.figures, output.measured))
    rates_figure(table4, folder / "recall_accuracy", title)
    tokens_figure(pd.read_csv(given.tokens), table4, windows, folder / "tokens", title)
    depth_figure(
        pd.read_csv(given.k_sensitivity), pd.read_csv(given.k_validation), folder / "budget", title
    )
    latency_figure(pd.read_csv(given.latency), measured / "latency", title)
