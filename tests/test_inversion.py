"""Cutting token sequences and inverting the rows gives what plain Python makes of the sequences."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pytest import mark

from agent_discovery.retrieval.entries import CardEntries, Partitions, count_tokens, entries_of
from agent_discovery.retrieval.inversion import Blocks, Terms, inverted
from agent_discovery.retrieval.keys import FIRST_SHIFT
from agent_discovery.retrieval.scratch import Scratch

Card = Sequence[int]

cards_of_tokens = st.integers(1, 30).flatmap(
    lambda tokens: st.lists(st.lists(st.integers(0, tokens - 1), max_size=200), max_size=8)
)


def cut(cards: Sequence[Card], ranks: Card, joined: Card, limit: int, lows: Card) -> CardEntries:
    """The entries of cards of tokens by first sight; `lows` begin with 0."""
    sequence = np.array([token for card in cards for token in card], np.uint32)
    bounds = np.cumsum([0, *map(len, cards)])
    of_token = np.searchsorted(lows, np.arange(len(ranks)), side="right") - 1
    partitions = Partitions(np.array(lows, np.uint32), of_token.astype(np.uint32))
    rank, joined_rank = np.array(ranks, np.uint32), np.array(joined, np.uint32)
    return entries_of(sequence, rank, bounds, 7, joined_rank, limit, partitions, Scratch())


def plain_signals(card: Card, joined: Card, limit: int) -> tuple[list[int], list[tuple[int, int]]]:
    """The kept unigrams and bigrams of a card, in the order of `signals.signals`."""
    frequency = Counter(card)
    unigrams = sorted(frequency, key=lambda token: (-frequency[token], token))
    bigrams = sorted(set(pairwise(card)), key=lambda pair: (joined[pair[0]], pair[1]))
    kept = unigrams[:limit]
    return kept, bigrams[: limit - len(kept)]


def plain_lists(cards: Sequence[Card], joined: Card, limit: int) -> tuple[dict, dict, dict]:
    """The (card, frequency) of each token, and the cards of each kept unigram and bigram."""
    terms, unigrams, bigrams = defaultdict(list), defaultdict(list), defaultdict(list)
    for number, card in enumerate(cards, 7):
        for token, frequency in Counter(card).items():
            terms[token].append((number, frequency))
        for lists, kept in zip(
            (unigrams, bigrams), plain_signals(card, joined, limit), strict=True
        ):
            for signal in kept:
                lists[signal].append(number)
    return terms, unigrams, bigrams


def lists_of(terms: Terms, blocks: Blocks, low: int) -> tuple[dict, dict, dict]:
    """The same from what is inverted of the tokens from `low` on."""
    places = iter(zip(terms.cards.tolist(), terms.frequencies.tolist(), strict=True))
    found_terms = {low + t: [next(places) for _ in range(n)] for t, n in enumerate(terms.counts)}
    unigrams, bigrams = {}, {}
    postings = blocks.postings.tolist()
    repeated = iter(zip(blocks.repeated_seconds.tolist(), blocks.repeated_ends, strict=True))
    single = iter(blocks.single_seconds.tolist())
    for token, length in enumerate(blocks.lengths):
        block, postings = postings[:length], postings[length:]
        at = blocks.unigrams[token]
        unigrams[low + token] = block[:at]
        for _ in range(blocks.repeated[token]):
            second, end = next(repeated)
            bigrams[low + token, second] = block[at:end]
            at = end
        assert length - at == blocks.single[token]
        bigrams |= {(low + token, next(single)): [card] for card in block[at:]}
    return found_terms, unigrams, bigrams


def without_empty(lists: dict) -> dict:
    return {signal: found for signal, found in lists.items() if found}


def check(cards: Sequence[Card], ranks: Card, joined: Card, limit: int, lows: Card) -> None:
    """All that is made of some cards is what plain Python makes of them."""
    found = cut(cards, ranks, joined, limit, lows)
    ranked = [[ranks[token] for token in card] for card in cards]
    by_card = np.split(found.signals, np.cumsum(found.counts)[:-1]) if cards else []
    for card, keys in zip(ranked, by_card, strict=True):
        unigrams, bigrams = plain_signals(card, joined, limit)
        expected = [token << FIRST_SHIFT for token in unigrams]
        expected += [first << FIRST_SHIFT | (second + 1) for first, second in bigrams]
        assert keys.tolist() == sorted(expected)
    assert found.most_frequent == max((max(Counter(c).values()) for c in cards if c), default=0)
    lists, scratch = ({}, {}, {}), Scratch()
    bounds = pairwise([*lows, len(ranks)])
    for (low, high), start, end in zip(bounds, found.starts, found.ends, strict=True):
        terms, blocks = inverted(found.rows[start:end], high - low, scratch)
        for mine, new in zip(lists, lists_of(terms, blocks, low), strict=True):
            mine.update(new)
    for mine, plain in zip(lists, plain_lists(ranked, joined, limit), strict=True):
        assert without_empty(mine) == dict(plain)


@given(cards_of_tokens, st.sampled_from([1, 5, 20, 64, 300]), st.data())
def test_entries_and_lists_are_the_plain_ones(cards, limit, data):
    tokens = 1 + max((max(card) for card in cards if card), default=0)
    ranks, joined = (data.draw(st.permutations(range(tokens))) for _ in range(2))
    lows = sorted({0, *data.draw(st.lists(st.integers(0, tokens - 1), max_size=3))})
    check(cards, ranks, joined, limit, lows)


@mark.parametrize("frequency", [7, 8, 9])
def test_a_row_whose_sizes_fit_or_not(frequency):
    """Token 0 is there so often, before one token or before as many different ones."""
    many = [token for second in range(1, frequency + 1) for token in (0, second)]
    check([many, [0] * frequency, many], range(40), range(40), 64, [0, 3])


@mark.parametrize("size", [1, 64, 65, 2047, 2048, 5000])
def test_a_token_of_however_many_bigrams(size):
    """Sorted by comparing, by narrow digits and by wide ones."""
    rng = np.random.default_rng(size)
    tokens = 70_000
    cards = [[0, second] for second in rng.integers(1, tokens, size).tolist()]
    cards += [[0, second] for second in rng.integers(1, 40, size // 2).tolist()]
    check(cards, range(tokens), range(tokens), 64, [0])


@mark.parametrize("length", [127, 128, 129, 3000])
def test_a_card_of_however_many_tokens(length):
    rng = np.random.default_rng(length)
    tokens = 50
    check(
        [rng.integers(0, tokens, length).tolist()] * 2, range(tokens), range(tokens), 400, [0, 25]
    )


def test_counts_are_added_to():
    counts = np.array([1, 0, 5])
    count_tokens(np.array([0, 2, 2], np.uint32), counts)
    assert counts.tolist() == [2, 0, 7]
