import json

import pandas as pd

from agent_discovery.config import Rq3
from agent_discovery.corpora.rq3_documents import (
    DOCUMENTS_SCHEMA,
    choose_documents,
    choose_queries,
    write_cards,
)
from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.samples import eligible_queries, relevant_cards
from agent_discovery.files import rows_table, write_table

with one_line_errors():
    given, output = snakemake.input, snakemake.output
    with open(given.about, encoding="utf-8") as stream:
        about = json.load(stream)
    qrels = pd.read_parquet(given.qrels)
    sides = choose_queries(eligible_queries(qrels), Rq3(**snakemake.params.rq3), about)
    relevant = relevant_cards(qrels)
    required = {
        seed: {card for qid in qids for card in relevant[qid]}
        for seed, qids in sides.to_pandas().groupby("seed")["qid"]
    }
    documents = choose_documents(given.cards, required)
    rows = [(seed, card) for seed, cards in documents.items() for card in cards]
    write_table(output.sides, sides)
    write_table(output.documents, rows_table(rows, DOCUMENTS_SCHEMA))
    write_cards(given.cards, {card for _, card in rows}, output.cards)
