import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_text
from agent_discovery.reporting.legends import corpus_note
from agent_discovery.reporting.tables import legend, presented, to_latex, to_markdown

with one_line_errors():
    tables, output = snakemake.input.tables, snakemake.output
    note = corpus_note(snakemake.input.about)
    for csv, md, tex in zip(tables, output.md, output.tex, strict=True):
        table = pd.read_csv(csv)
        cells, below = presented(table), legend(table, note)
        write_text(md, to_markdown(cells, below))
        write_text(tex, to_latex(cells, below))
