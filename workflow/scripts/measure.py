import pandas as pd
import pyarrow as pa

from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.measures import measured
from agent_discovery.files import write_table

with one_line_errors():
    table = measured(
        run=pd.read_parquet(snakemake.input.run),
        candidates=pd.read_parquet(snakemake.input.candidates),
        ties=pd.read_parquet(snakemake.input.ties),
        qrels=pd.read_parquet(snakemake.input.qrels),
        k=snakemake.params.k,
    )
    write_table(snakemake.output[0], pa.Table.from_pandas(table, preserve_index=False))
