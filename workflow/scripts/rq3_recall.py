import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_csv
from agent_discovery.reporting.claims import read_claims
from agent_discovery.reporting.published import with_published

with one_line_errors():
    _, claims = read_claims(snakemake.input.expected)
    table = pd.read_csv(snakemake.input.table4)
    write_csv(snakemake.output[0], with_published(table, claims, "rq3/{corpus}/table4.csv"))
