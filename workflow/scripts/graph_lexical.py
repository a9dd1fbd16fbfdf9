import pyarrow.parquet as pq

from agent_discovery.card_store import CardStore
from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_table
from agent_discovery.retrieval.graph_runs import asks, lexical_runs
from agent_discovery.retrieval.whole_cards import lexical_searchers

with one_line_errors():
    given, params = snakemake.input, snakemake.params
    store = CardStore(given.cards)
    cards = (card for _, card in store.cards(range(len(store))))
    wanted = asks(pq.read_table(given.queries), pq.read_table(given.requests))
    with lexical_searchers(cards, params.k, params.tie_break, params.max_signals) as searchers:
        write_table(snakemake.output[0], lexical_runs(searchers, wanted))
