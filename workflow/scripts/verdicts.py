import json
from pathlib import Path

from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_csv, write_text
from agent_discovery.reporting.claims import read_claims
from agent_discovery.reporting.verdict_text import to_text
from agent_discovery.reporting.verdicts import Ran, verdicts

with one_line_errors():
    given, params, output = snakemake.input, snakemake.params, snakemake.output
    about, arbiter, rq3_arbiter = (
        json.loads(Path(path).read_text(encoding="utf-8"))
        for path in (given.about, given.arbiter, given.rq3_arbiter)
    )
    rq1 = {**params.rq1, "arbiter": arbiter["model"]}
    window = {"context_window": params.context_window}
    rq3 = {**params.rq3, **window, "arbiter": rq3_arbiter["model"]}
    of_corpus = (about["corpus"], params.corpus, about["real"])
    runs = {
        "rq1": Ran("agentbench", "agentbench", True, rq1, arbiter["stand_in"]),
        "rq2": Ran(*of_corpus, {"k": params.k}),
        "rq3": Ran(*of_corpus, rq3, rq3_arbiter["stand_in"]),
    }
    paper, claims = read_claims(given.expected)
    table = verdicts(paper, claims, runs, Path(output.csv).parents[2])
    for part, csv, md in (
        (table[~table["measured"]], output.csv, output.md),
        (table[table["measured"]], output.measured_csv, output.measured_md),
    ):
        write_csv(csv, part)
        write_text(md, to_text(part, claims))
