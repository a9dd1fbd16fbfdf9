"""The queries and judgments of a generated collection: each query is made from one passage.

It asks for runs of the passage's own words that belong together, and is judged for that passage;
as in the real judgments, few others are judged, though neighbours share the subject.
"""

import random
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.msmarco_form.language import LONGEST, Language
from benchmarks.msmarco_form.passages import GROUP, content_of, write_word

OPENINGS = (
    "what is", "what is the", "how to", "how does", "where is", "what are", "what does", "",
    "who is the", "is", "what was the", "when was", "can you", "which of the", "", "why is",
)  # fmt: skip
LINKS = ("of", "in", "for", "the", "of the", "in the", "with")
OPENED, LINKED, OF_SUBJECT = 0.9, 0.45, 0.4  # shares of the queries
SIZES, SIZE_WEIGHTS = (1, 2, 3, 4, 5, 6, 8), (2, 22, 33, 23, 12, 6, 2)  # content tokens
QUERY_IDS = 1_200_000  # ids are drawn from as many, or from twice the queries
# Queries of every 6,980 with so many judgments: 7,437 judgments in all.
JUDGED_OF_6980 = {2: 331, 3: 51, 4: 8}
WORD_BYTES = 64


class Topic(NamedTuple):
    """A query with the passages that are judged relevant to it."""

    qid: int
    text: str
    passages: list[int]


def topics(passages: int, queries: int, seed: int, language: Language) -> Iterator[Topic]:
    """The queries of a collection of so many passages, in the order of the file.

    queries: `passages` at most, since each is made from a passage of its own.
    """
    rng = random.Random(f"{seed}:{passages}:{queries}:queries")
    made_from = rng.sample(range(passages), queries)
    qids = rng.sample(range(1, max(QUERY_IDS, 2 * queries)), queries)
    counts = _judgment_counts(queries)
    rng.shuffle(counts)
    for qid, passage, count in zip(qids, made_from, counts, strict=True):
        ranks = _query_ranks(passage, seed, language, rng)
        text = _query_text([[word_of(rank, language) for rank in run] for run in ranks], rng)
        yield Topic(qid, text, _judged(passage, count, passages, rng))


def word_of(rank: int, language: Language) -> str:
    """The word of a rank."""
    out = np.empty(WORD_BYTES, np.uint8)
    return out[: write_word(rank, language, out, 0)].tobytes().decode()


def _judgment_counts(queries: int) -> list[int]:
    more = [
        count
        for count, share in JUDGED_OF_6980.items()
        for _ in range(round(queries * share / 6980))
    ]
    return more + [1] * (queries - len(more))


def _query_ranks(
    passage: int, seed: int, language: Language, rng: random.Random
) -> list[list[int]]:
    """Pairs of the passage's words that belong together, and at the end one alone if need be."""
    content, follows = np.empty(LONGEST, np.int64), np.empty(LONGEST, np.bool_)
    length = content_of(seed, passage, language, content, follows)
    (size,) = rng.choices(SIZES, SIZE_WEIGHTS)
    starts = np.flatnonzero(follows[1:length]).tolist()
    starts = rng.sample(starts, len(starts))
    if rng.random() < OF_SUBJECT:
        starts.insert(0, 0)  # a passage begins with its subject
    runs: list[list[int]] = []
    for start in starts:
        run = content[start : start + min(size, 2)].tolist()
        if not any(rank in run for other in runs for rank in other):
            runs.append(run)
            size -= len(run)
        if size == 0:
            break
    return runs


def _query_text(runs: list[list[str]], rng: random.Random) -> str:
    words = [rng.choice(OPENINGS)] if rng.random() < OPENED else []
    for place, run in enumerate(runs):
        if place > 0 and rng.random() < LINKED:
            words.append(rng.choice(LINKS))
        words.extend(run)
    return " ".join(word for word in words if word)


def _judged(passage: int, count: int, passages: int, rng: random.Random) -> list[int]:
    """The passage and, if there are to be more, neighbours that share its subject."""
    first = passage - passage % GROUP
    others = [other for other in range(first, min(first + GROUP, passages)) if other != passage]
    return [passage, *sorted(rng.sample(others, min(count - 1, len(others))))]
