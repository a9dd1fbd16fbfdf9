from agent_discovery.card_store import CardStore
from agent_discovery.corpora.corpus import cards_digest
from agent_discovery.errors import one_line_errors
from agent_discovery.retrieval.build import build_index

with one_line_errors():
    # RQ3's cards are a part of a corpus: they have no digest of their own.
    about = snakemake.input.get("about")
    cards = CardStore(snakemake.input.cards)
    build_index(
        cards,
        snakemake.output[0],
        snakemake.params.max_signals,
        len(cards),
        cards_digest(about) if about else "",
    )
