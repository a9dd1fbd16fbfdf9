import json

import pandas as pd

from agent_discovery.config import Intervals
from agent_discovery.corpora.corpus import label_of
from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation import table3
from agent_discovery.files import write_csv
from agent_discovery.retrieval.methods import METHODS

PAIRS = [("SSR", "Structural Overlap + ISI"), ("BM25", "SSR"), ("BM25", "TF-IDF")]

with one_line_errors():
    output, params = snakemake.output, snakemake.params
    with open(snakemake.input.about, encoding="utf-8") as stream:
        about = json.load(stream)
    intervals = Intervals(**params.intervals)
    methods = table3.read_evaluated(
        snakemake.input.measures, {slug: method.name for slug, method in METHODS.items()}
    )
    scan, ssr = methods[METHODS["full_scan"].name], methods[METHODS["ssr"].name]
    sample = list(scan.values.index)
    complete = {name: part for name, part in methods.items() if part is not scan}
    sampled = {name: part.on(sample) for name, part in methods.items()}
    sources = pd.read_parquet(snakemake.input.queries).set_index("qid")["source"]

    for path, part in ((output.table3, methods), (output.sample, sampled)):
        write_csv(path, table3.effectiveness(part, label_of(about), params.k, intervals))
    write_csv(output.by_source, table3.by_source(complete, sources))
    write_csv(output.comparison, table3.comparison(complete, PAIRS, intervals))
    equivalence = table3.equivalence(
        pd.read_parquet(snakemake.input.full_scan),
        pd.read_parquet(snakemake.input.ssr),
        sample,
        about["counts"]["cards"],
        ssr.candidates,
    )
    write_csv(output.equivalence, equivalence)
