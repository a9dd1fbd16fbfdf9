from pathlib import Path

import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_text
from agent_discovery.reporting.robustness_figures import robustness_figure
from agent_discovery.reporting.robustness_text import note, view
from agent_discovery.reporting.tables import to_latex, to_markdown

with one_line_errors():
    kind, output = snakemake.wildcards.table, snakemake.output
    table = pd.read_csv(snakemake.input[0], keep_default_na=False, na_values=[""])
    cells, below = view(kind, table), note(kind, table)
    write_text(output.md, to_markdown(cells, below))
    write_text(output.tex, to_latex(cells, below))
    robustness_figure(kind, table, Path(output.figures[0]).with_suffix(""))
