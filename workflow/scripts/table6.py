import pandas as pd
import pyarrow.parquet as pq

from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_csv, write_text
from agent_discovery.reporting.table6 import (
    conceptual,
    folder_bytes,
    read_table6,
    running,
    timed,
)
from agent_discovery.reporting.tables import legend, presented, to_latex, to_markdown

FLOAT32 = 4  # bytes

with one_line_errors():
    given, output = snakemake.input, snakemake.output
    systems, here = read_table6(given.expected)
    dimensions = pq.read_schema(given.vectors).field("vector").type.list_size
    isi, bm25 = folder_bytes(given.isi), folder_bytes(given.bm25)
    sizes = {
        "isi": isi,
        "bm25": bm25,
        "vectors": pq.read_metadata(given.nodes).num_rows * dimensions * FLOAT32,
    }
    runs = running(
        here,
        pd.read_csv(given.table3),
        pd.read_csv(given.baselines),
        sizes,
        snakemake.params.corpus,
    )
    for table, (csv, md, tex) in (
        (conceptual(systems), output.systems),
        (runs, output.running),
        (timed(runs, pd.read_csv(given.latency)), output.timed),
    ):
        write_csv(csv, table)
        write_text(md, to_markdown(presented(table), legend(table)))
        write_text(tex, to_latex(presented(table), legend(table)))
