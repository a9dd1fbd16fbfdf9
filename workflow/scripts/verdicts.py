import json
from pathlib import Path

from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_csv, write_text
from agent_discovery.reporting.tables import presented, to_markdown
from agent_discovery.reporting.verdicts import Ran, read_claims, verdicts

with one_line_errors():
    params, output = snakemake.params, snakemake.output
    with open(snakemake.input.about, encoding="utf-8") as stream:
        about = json.load(stream)
    with open(snakemake.input.arbiter, encoding="utf-8") as stream:
        arbiter = json.load(stream)
    rq1 = {**params.rq1, "arbiter": arbiter["model"]}
    runs = {
        "rq1": Ran("agentbench", "agentbench", True, rq1, arbiter["stand_in"]),
        "rq2": Ran(about["corpus"], params.corpus, about["real"], {"k": params.k}),
    }
    results = Path(output.csv).parents[2]
    table = verdicts(*read_claims(snakemake.input.expected), runs, results)
    for part, csv, md in (
        (table[~table["measured"]], output.csv, output.md),
        (table[table["measured"]], output.measured_csv, output.measured_md),
    ):
        write_csv(csv, part)
        write_text(md, to_markdown(presented(part.drop(columns=["id", "ought", "measured"]))))
