from pathlib import Path

import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_text
from agent_discovery.reporting.claims import read_claims
from agent_discovery.reporting.legends import corpus_note
from agent_discovery.reporting.page.page import Given, page, published_figures
from agent_discovery.reporting.page.results import Results

with one_line_errors():
    given, params = snakemake.input, snakemake.params
    verdicts = [
        (pd.concat([pd.read_csv(path) for path in tables]), read_claims(expected)[1])
        for tables, expected in ((given.ssr, given.claims), (given.graph, given.graph_claims))
    ]
    texts = published_figures(verdicts)
    # Tables of a real model's run lie in rq1/<corpus>/ and so on, below its own folder.
    real_model = [Results(Path(path).parents[2], {}, texts) for path in given.real_model[:1]]
    told = Given(
        results=Results(Path(snakemake.output[0]).parents[1], params.folders, texts),
        verdicts=verdicts,
        profile=params.profile,
        k=params.k,
        note=corpus_note(given.about),
        cite="".join(Path(path).read_text(encoding="utf-8") for path in given.cite),
        real_model=real_model[0] if real_model else None,
    )
    write_text(snakemake.output[0], page(told))
