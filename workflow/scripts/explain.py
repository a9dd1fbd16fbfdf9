import pandas as pd

from agent_discovery.card_store import CardStore
from agent_discovery.corpora.corpus import cards_digest
from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_table
from agent_discovery.retrieval.explain import explain_run
from agent_discovery.retrieval.isi import InvertedSignalIndex

with one_line_errors():
    queries = pd.read_parquet(snakemake.input.queries)
    explanations = explain_run(
        InvertedSignalIndex(
            snakemake.input.isi, verify=True, corpus=cards_digest(snakemake.input.about)
        ),
        CardStore(snakemake.input.cards),
        dict(zip(queries["qid"], queries["text"], strict=True)),
        pd.read_parquet(snakemake.input.run),
    )
    write_table(snakemake.output[0], explanations)
