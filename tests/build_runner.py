"""A build that the kill test kills: many small steps over the cards of a file."""

import sys

from agent_discovery.card_store import CardStore
from agent_discovery.retrieval import build

if __name__ == "__main__":
    source, folder = sys.argv[1:]
    build.STEP_CARDS, build.CHUNK_ENTRIES, build.PARTITION_ENTRIES = 40, 500, 2000
    print("started", flush=True)
    build.build_index(CardStore(source), folder, corpus="d1")
