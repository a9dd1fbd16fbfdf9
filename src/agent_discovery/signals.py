"""Structural signals (SSR, section III-B): the plain definition that everything follows.

The fast path, `retrieval.tokenizer` and `retrieval.keys`, is proved equal to it by property tests.
"""

import re
from collections import Counter
from itertools import pairwise

STOPWORDS = frozenset(
    "a about also an and are as at be been being but by can could did do does for from has have "
    "he her his how i if in into is it its not of on or should than that the their then there "
    "these this those to was were what when where which who why will with would you your".split()
)
MIN_TOKEN_LENGTH = 2
MAX_SIGNALS = 64
BIGRAM_JOINER = "_"

_WORD = re.compile("[a-z0-9]+")


def tokens(text: str) -> list[str]:
    """The retained token sequence: lower-cased `[a-z0-9]+` runs, less short ones and stopwords."""
    words = _WORD.findall(text.lower())
    return [w for w in words if len(w) >= MIN_TOKEN_LENGTH and w not in STOPWORDS]


def signals(text: str, limit: int = MAX_SIGNALS) -> list[str]:
    """The structural signals of a text, in the order in which the cap keeps them.

    Unigrams by falling frequency, then in lexical order; then bigrams, joined by an underscore, in
    lexical order of the joined string. At most `limit` are kept.
    """
    sequence = tokens(text)
    frequency = Counter(sequence)
    unigrams = sorted(frequency, key=lambda word: (-frequency[word], word))
    bigrams = sorted({BIGRAM_JOINER.join(pair) for pair in pairwise(sequence)})
    return (unigrams + bigrams)[:limit]
