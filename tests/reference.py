"""Plain retrieval, written from the paper's definitions alone, to hold the fast one against.

It imports nothing of the package: texts in, dictionaries out, no arrays, no index on disk. What is
here may be slow; it must be easy to compare with the paper (SSR, section III) by eye.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

STOPWORD_LIST = """
a about also an and are as at be been being but by can could did do does for from has have
he her his how i if in into is it its not of on or should than that the their then there
these this those to was were what when where which who why will with would you your
"""
STOPWORDS = set(STOPWORD_LIST.split())
LETTERS_AND_DIGITS = set("abcdefghijklmnopqrstuvwxyz0123456789")
CAP = 64
BM25_K1, BM25_B, BM25_LEAST_IDF = 1.2, 0.75, 1e-6


def tokens(text: str) -> list[str]:
    """The runs of ASCII letters and digits of the lower-cased text that are worth keeping."""
    spaced = "".join(c if c in LETTERS_AND_DIGITS else " " for c in text.lower())
    return [word for word in spaced.split(" ") if len(word) > 1 and word not in STOPWORDS]


def pairs(sequence: list) -> list[tuple]:
    """Each item with the one after it."""
    return [(sequence[i], sequence[i + 1]) for i in range(len(sequence) - 1)]


def signals(text: str, cap: int = CAP) -> list[str]:
    """Unigrams by falling frequency, then as strings; then bigrams as joined strings."""
    sequence = tokens(text)
    often = Counter(sequence)
    # Two stable sorts, the less important first.
    unigrams = sorted(sorted(often), key=often.__getitem__, reverse=True)
    bigrams = sorted({f"{first}_{second}" for first, second in pairs(sequence)})
    return [*unigrams, *bigrams][:cap]


def provenance(fields: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """For each unigram and bigram of a card, given as (path, text), the paths that it came from."""
    placed = [(token, path) for path, text in fields for token in tokens(text)]
    paths = defaultdict(set)
    for token, path in placed:
        paths[token].add(path)
    for (first, first_path), (second, second_path) in pairs(placed):
        paths[f"{first}_{second}"] |= {first_path, second_path}
    return dict(paths)


def idf(cards: int, holders: int) -> float:
    """ln((N + 1) / (df + 1)) + 1."""
    return math.log((cards + 1) / (holders + 1)) + 1


def added(numbers: Iterable[float]) -> float:
    """The sum, one addition after the other (from Python 3.12 on, `sum` corrects its rounding)."""
    total = 0.0
    for number in numbers:
        total += number
    return total


class Hit(NamedTuple):
    """What a candidate is ranked by."""

    score: float
    matched: int


class Registry:
    """Cards as id -> text, and every score of them that the study compares."""

    def __init__(self, texts: dict[str, str], cap: int = CAP):
        self.size = len(texts)
        self.cap = cap
        self.ids = list(texts)
        self.held = {card: set(signals(text, cap)) for card, text in texts.items()}
        self.words = {card: Counter(tokens(text)) for card, text in texts.items()}
        self.length = {card: sum(words.values()) for card, words in self.words.items()}
        self.mean_length = sum(self.length.values()) / max(1, self.size)
        self.signal_cards = self._holders(self.held)
        self.word_cards = self._holders(self.words)

    @staticmethod
    def _holders(held: dict[str, Iterable[str]]) -> dict[str, list[str]]:
        holders = defaultdict(list)
        for card, things in held.items():
            for thing in things:
                holders[thing].append(card)
        return dict(holders)

    def weights(self, query: str) -> dict[str, float]:
        """The query's signals that any card holds, each with its IDF, by falling IDF."""
        known = [signal for signal in signals(query, self.cap) if signal in self.signal_cards]
        weights = {signal: idf(self.size, len(self.signal_cards[signal])) for signal in known}
        return dict(sorted(weights.items(), key=lambda item: item[1], reverse=True))

    def ssr(self, query: str) -> dict[str, Hit]:
        """The candidate set with its scores; additions run from the largest IDF down."""
        return self._summed(self.weights(query))

    def overlap(self, query: str) -> dict[str, Hit]:
        """The candidate set, each matched signal weighing 1."""
        return self._summed(dict.fromkeys(self.weights(query), 1.0))

    def _summed(self, weights: dict[str, float]) -> dict[str, Hit]:
        candidates = {card for signal in weights for card in self.signal_cards[signal]}
        hits = {}
        for card in candidates:
            matched = [weight for signal, weight in weights.items() if signal in self.held[card]]
            hits[card] = Hit(added(matched), len(matched))
        return hits

    def explanation(self, query: str, card: str) -> dict[str, float]:
        """The matched signals of a card, each with its IDF."""
        weights = self.weights(query)
        return {signal: weights[signal] for signal in weights if signal in self.held[card]}

    def tf_idf(self, query: str) -> dict[str, float]:
        """The sum of qtf * dtf * idf over all the words of a text, not capped."""
        scores = defaultdict(float)
        for word, in_query in Counter(tokens(query)).items():
            holders = self.word_cards.get(word, [])
            for card in holders:
                scores[card] += in_query * self.words[card][word] * idf(self.size, len(holders))
        return dict(scores)

    def bm25(self, query: str) -> dict[str, float]:
        """BM25 as FTS5's documentation gives it, each distinct word of the query once."""
        scores = defaultdict(float)
        for word in dict.fromkeys(tokens(query)):
            holders = self.word_cards.get(word, [])
            rarity = math.log((self.size - len(holders) + 0.5) / (len(holders) + 0.5))
            for card in holders:
                often = self.words[card][word]
                longer = 1 - BM25_B + BM25_B * self.length[card] / self.mean_length
                saturated = often * (BM25_K1 + 1) / (often + BM25_K1 * longer)
                scores[card] += max(rarity, BM25_LEAST_IDF) * saturated
        return dict(scores)

    def ranked(self, hits: dict[str, Hit], tie_break: str, k: int) -> list[str]:
        """The first k ids: score falling, matched count falling, then the order of `tie_break`."""
        cards = sorted(hits, key=self._tie_key(tie_break), reverse=tie_break == "authors")
        return sorted(cards, key=lambda card: (-hits[card].score, -hits[card].matched))[:k]

    def _tie_key(self, tie_break: str):
        """`paper`: numbers where all ids are whole numbers, else strings; `authors`: strings."""
        numeric = all(card.isdecimal() and str(int(card)) == card for card in self.ids)
        return int if tie_break == "paper" and numeric else str
