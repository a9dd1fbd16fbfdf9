from pathlib import Path

from agent_discovery.corpora import load_corpus
from agent_discovery.corpora.corpus import write_corpus
from agent_discovery.errors import one_line_errors

with one_line_errors():
    corpus = load_corpus(snakemake.params.spec, snakemake.params.level, snakemake.params.seed)
    write_corpus(corpus, Path(snakemake.output.cards).parent)
