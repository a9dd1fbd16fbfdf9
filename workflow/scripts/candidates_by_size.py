import numpy as np
import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.samples import read_sample
from agent_discovery.files import write_csv
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.methods import candidates_by_size, growth_sizes
from agent_discovery.retrieval.structural import Ssr

with one_line_errors():
    given, params = snakemake.input, snakemake.params
    sample = read_sample(given.queries, given.qrels, params.sample_size, params.sample_seed)
    index = InvertedSignalIndex(given.isi, verify=True)
    place = np.random.default_rng(params.sample_seed).permutation(index.cards)
    rows = candidates_by_size(
        Ssr(index), [text for _, text in sample], growth_sizes(index.cards), place
    )
    table = pd.DataFrame(rows, columns=["n", "ssr_mean_candidates"])
    table["full_scan_scored"] = table["n"]
    write_csv(snakemake.output[0], table)
