import pandas as pd

from agent_discovery.card_store import CardStore
from agent_discovery.corpora.rq3_documents import choose_documents, write_cards
from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.samples import relevant_cards
from agent_discovery.files import write_table
from agent_discovery.robustness.registries import drawn, planted_cards, plants_table, write_planted

with one_line_errors():
    given, settings, output = snakemake.input, snakemake.params.settings, snakemake.output
    queries, qrels = pd.read_parquet(given.queries), pd.read_parquet(given.qrels)
    sample, seed = settings["queries"], settings["seed"]
    evaluated, _ = drawn(queries, qrels, sample, seed)
    relevant = relevant_cards(qrels)
    required = {card for qid, _ in evaluated for card in relevant[qid]}
    write_cards(given.cards, choose_documents(given.cards, {seed: required})[seed], output.honest)
    store = CardStore(output.honest)
    planted = planted_cards(store, queries, qrels, sample, seed)
    write_planted(output.cards, store, planted)
    write_table(output.plants, plants_table(planted))
