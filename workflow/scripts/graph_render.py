import json

import pandas as pd

from agent_discovery.files import write_text
from agent_discovery.reporting.graph_text import parts
from agent_discovery.reporting.tables import legend, presented, to_latex, to_markdown

tables, output = snakemake.input.tables, snakemake.output
with open(snakemake.input.about, encoding="utf-8") as stream:
    about = json.load(stream)
note = "" if about["real"] else "; ".join(about["notes"])
for csv, md, tex in zip(tables, output.md, output.tex, strict=True):
    shown = [
        (head, presented(table), legend(table, note))
        for head, table in parts(pd.read_csv(csv), snakemake.params.k)
    ]
    write_text(md, "\n".join(f"{head}{to_markdown(cells, below)}" for head, cells, below in shown))
    write_text(tex, "\n".join(to_latex(cells, below) for _, cells, below in shown))
