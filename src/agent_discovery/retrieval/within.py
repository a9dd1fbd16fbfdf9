"""SSR on a registry that is part of an index: its own N, its own df, its own IDF.

A card's signals do not depend on the registry that it is in, so one index over all cards serves
every registry taken from them: posting lists are cut down to the members.
"""

import numpy as np

from agent_discovery.retrieval.isi import InvertedSignalIndex, inverse_document_frequency
from agent_discovery.retrieval.ranking import Scored
from agent_discovery.retrieval.structural import weigh_masks


def score_within(index: InvertedSignalIndex, members: np.ndarray, query: str) -> Scored:
    """SSR's candidate set of a query among some cards, scored as if they alone were indexed.

    members: card numbers, rising and distinct. Work is linear in the query's postings and, in the
    members, n log n.
    """
    lists = index.signal_lists(query)
    postings = index.arrays["postings"]
    held = []
    for start, end in zip(lists.starts, lists.ends, strict=True):
        places = np.searchsorted(members, postings[start:end])
        places[places == len(members)] = 0
        held.append(places[members[places] == postings[start:end]])
    # Equal IDF: by key, as in a whole index; `lists` has them by df of all cards, so sort anew.
    order = sorted(range(len(held)), key=lambda j: (len(held[j]), lists.keys[j]))
    masks = np.zeros(len(members), np.uint64)
    idf = np.empty(len(held))
    for bit, j in enumerate(order):
        masks[held[j]] |= np.uint64(1) << np.uint64(bit)
        idf[bit] = inverse_document_frequency(len(members), len(held[j]))
    found = np.nonzero(masks)[0]
    return Scored(members[found].astype(np.uint32), *weigh_masks(masks[found], idf))
