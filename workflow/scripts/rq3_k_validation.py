import pandas as pd

from agent_discovery.config import Intervals, Rq3
from agent_discovery.corpora.rq3_documents import TEST, VALIDATION
from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.depth import validation_table
from agent_discovery.files import write_csv
from agent_discovery.workflow import corpus_label

with one_line_errors():
    rq3 = Rq3(**snakemake.params.rq3)
    table = validation_table(
        pd.read_csv(snakemake.input.hits),
        rq3.depths,
        rq3.validation_margin,
        (VALIDATION, TEST),
        Intervals(**snakemake.params.intervals),
    )
    table.insert(0, "corpus", corpus_label(snakemake.input.about))
    write_csv(snakemake.output[0], table)
