from pathlib import Path

import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.table3 import last_places
from agent_discovery.files import write_csv
from agent_discovery.retrieval.methods import METHODS

with one_line_errors():
    candidates = {
        METHODS[Path(path).stem.removesuffix("_candidates")].name: pd.read_parquet(path)
        for path in snakemake.input
    }
    write_csv(snakemake.output[0], last_places(candidates, snakemake.params.k))
