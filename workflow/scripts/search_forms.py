import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.samples import read_sample
from agent_discovery.files import write_csv
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.methods import FORMS_COLUMNS, search_forms

with one_line_errors():
    given, params = snakemake.input, snakemake.params
    sample = read_sample(given.queries, given.qrels, params.sample_size, params.sample_seed)
    index = InvertedSignalIndex(given.isi, verify=True)
    rows = search_forms(index, [text for _, text in sample], params.k, params.tie_break)
    write_csv(snakemake.output[0], pd.DataFrame(rows, columns=FORMS_COLUMNS))
