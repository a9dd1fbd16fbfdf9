import pandas as pd

from agent_discovery.files import write_text
from agent_discovery.reporting.tables import presented, to_latex, to_markdown

for csv, md, tex in zip(snakemake.input, snakemake.output.md, snakemake.output.tex, strict=True):
    table = presented(pd.read_csv(csv))
    write_text(md, to_markdown(table))
    write_text(tex, to_latex(table))
