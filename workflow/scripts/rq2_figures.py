from pathlib import Path

import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.reporting.rq2_figures import candidates_figure, effectiveness_figure

with one_line_errors():
    folder = Path(snakemake.output[0]).parent
    effectiveness_figure(pd.read_csv(snakemake.input.table3), folder / "effectiveness")
    candidates_figure(
        pd.read_csv(snakemake.input.candidates_by_size), folder / "candidates_by_size"
    )
