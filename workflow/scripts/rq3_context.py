import numpy as np
import pandas as pd

from agent_discovery.arbitration.prompt import Candidate
from agent_discovery.config import Rq3
from agent_discovery.corpora.rq3_documents import SELECTION
from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.context import (
    card_tokens,
    failure_points,
    index_tokens,
    prompt_tokens,
    tokens_by_size,
)
from agent_discovery.evaluation.sides import read_side
from agent_discovery.files import write_csv
from agent_discovery.retrieval.methods import growth_sizes
from agent_discovery.workflow import corpus_label

with one_line_errors():
    given, params, output = snakemake.input, snakemake.params, snakemake.output
    rq3 = Rq3(**params.rq3)
    side = read_side(
        SELECTION, given.queries, given.qrels, given.sides, given.documents, rq3.queries
    )
    cards = pd.read_parquet(given.cards, columns=list(Candidate._fields))
    tokens = {
        card.id: card_tokens(Candidate(*card), params.prompt)
        for card in cards.itertuples(index=False)
    }
    indexes = np.array([index_tokens(index + 1) for index in range(len(side.documents))])
    prompts = [
        prompt_tokens(text, np.array([tokens[card] for card in grown]), indexes, params.prompt)
        for text, grown in side.growth()
    ]
    windows = failure_points(prompts, rq3.context_windows, params.max_output_tokens)
    sizes = tokens_by_size(prompts, growth_sizes(len(side.documents)))
    corpus = corpus_label(given.about)
    for path, table in ((output.windows, windows), (output.tokens, sizes)):
        table.insert(0, "corpus", corpus)
        write_csv(path, table)
