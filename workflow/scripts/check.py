import sys

import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.reporting.verdicts import failures, told

with one_line_errors():
    table = pd.concat([pd.read_csv(path) for path in snakemake.input])
    print(told(table))
    sys.exit(1 if len(failures(table)) else 0)
