import json

import pandas as pd

from agent_discovery.files import write_text
from agent_discovery.reporting.tables import presented, to_latex, to_markdown

tables, output = snakemake.input.tables, snakemake.output
with open(snakemake.input.about, encoding="utf-8") as stream:
    about = json.load(stream)
# Whatever is not what its name says is labelled under every table.
note = "" if about["real"] else "; ".join(about["notes"])
for csv, md, tex in zip(tables, output.md, output.tex, strict=True):
    table = presented(pd.read_csv(csv))
    write_text(md, to_markdown(table, note))
    write_text(tex, to_latex(table, note))
