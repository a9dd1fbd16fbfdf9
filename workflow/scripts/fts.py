from agent_discovery.card_store import CardStore
from agent_discovery.errors import one_line_errors
from agent_discovery.retrieval.lexical import build_fts

with one_line_errors():
    cards = CardStore(snakemake.input.cards)
    build_fts(cards.batches(), snakemake.output[0], len(cards))
