import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_text
from agent_discovery.reporting.graph_text import parts
from agent_discovery.reporting.legends import corpus_note
from agent_discovery.reporting.tables import legend, presented, to_latex, to_markdown

with one_line_errors():
    tables, output = snakemake.input.tables, snakemake.output
    note = corpus_note(snakemake.input.about)
    for csv, md, tex in zip(tables, output.md, output.tex, strict=True):
        text, latex = [], []
        for head, table in parts(pd.read_csv(csv), snakemake.params.k):
            cells = presented(table)
            text.append(head + to_markdown(cells, legend(table, note)))
            # A tabular has no head of its own.
            latex.append(to_latex(cells, f"{head.strip()} {legend(table, note)}".lstrip("# ")))
        write_text(md, "\n".join(text))
        write_text(tex, "\n".join(latex))
