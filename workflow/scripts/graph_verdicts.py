import json
from pathlib import Path

from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_csv, write_text
from agent_discovery.reporting.claims import read_claims
from agent_discovery.reporting.verdict_text import to_text
from agent_discovery.reporting.verdicts import Ran, verdicts

with one_line_errors():
    given, params, output = snakemake.input, snakemake.params, snakemake.output
    about = json.loads(Path(given.about).read_text(encoding="utf-8"))
    made_with = {"encoder": params.encoders[0], "encoders": ", ".join(params.encoders)}
    settings = {key: value for key, value in params.graph.items() if key != "corpus"}
    ran = Ran(about["corpus"], params.corpus, about["real"], settings | made_with)
    paper, claims = read_claims(given.expected)
    table = verdicts(paper, claims, {"graph": ran}, Path(output.csv).parents[2])
    write_csv(output.csv, table)
    write_text(output.md, to_text(table, claims))
