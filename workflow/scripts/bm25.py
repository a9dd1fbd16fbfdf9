from agent_discovery.card_store import CardStore
from agent_discovery.errors import one_line_errors
from agent_discovery.retrieval.lexical import prepare_bm25

with one_line_errors():
    params = snakemake.params
    prepare_bm25(CardStore(snakemake.input.cards), snakemake.output[0], params.engine)
