"""The tables of a made-up language: how frequent its words are, what follows them, their letters.

Quantile tables hold integers and are read with integer arithmetic, so that the same draws give the
same words on every machine. The words are those of no language: two or three syllables, or a
number; stopwords are English, since the definition of signals names them.
"""

from collections.abc import Callable, Sequence
from math import exp, log
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

# Words by rank: Zipf-Mandelbrot, steeper beyond the core vocabulary, as in large collections.
RANK_SHIFT = 72.0
CORE_WORDS = 12_000.0
TAIL_EXPONENT = 1.73
# The successors of a word, by falling frequency: Zipf-Mandelbrot without an end.
SUCCESSOR_SHIFT = 2.0
SUCCESSOR_EXPONENT = 1.22
# Content tokens of a passage: log-normal, within bounds.
MEDIAN_LENGTH = 30.2
LENGTH_SPREAD = 0.42
SHORTEST, LONGEST = 4, 160

OCTAVES = 40  # a draw's leading zero bits, at most
CELLS = 1024  # in each octave
MOST = float(1 << 31)

# Syllables are a consonant run and a vowel, so a word reads back into the digits of its rank.
ONSETS = (
    ["b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "br", "pl", "st", "tr", "cr"],
    ["b", "c", "d", "g", "l", "m", "n", "r", "t", "v", "ch", "ct", "nt", "rd", "st", "mp"],
)
VOWELS = ("ai", "eo", "ua", "oi")  # the two that an onset takes, by its place
CODAS = ("l", "m", "nd", "st", "nts", "nt", "rs", "ng")  # four for one syllable, four for more
# By falling frequency in English text.
FUNCTION_WORDS = (
    "the of and to a in is for that are or with as on be by it from this you at an which can your "
    "have was has not if will when also about its but their than other were what there".split()
)

# What stands in the real file too and readers stumble over; the rare ones one word in 16,384.
EXTRAS = ("\u2019s", "\u00e9", "\u00fc", "\u2122", "\u00c3\u00a9", "\u2014", " \u2022", " 50\u00b0")
RARE = ("\r", "\u2028", "\x85", "\f", " \u212a", " \u0130zmir", " \u4e2d\u6587", " \U0001f600")


class Strings(NamedTuple):
    """Byte strings end to end; string i is `data[offsets[i]:offsets[i + 1]]`."""

    data: np.ndarray  # uint8
    offsets: np.ndarray  # int64, (strings + 1,)


class Language(NamedTuple):
    """What the kernels read. Quantile tables are int64, (OCTAVES, CELLS + 1)."""

    ranks: np.ndarray
    successors: np.ndarray
    lengths: np.ndarray
    syllables: Strings  # (32 at even places of a word, then 32 at odd ones)
    codas: Strings
    function_words: Strings  # one of 256 by its frequency
    extras: Strings  # (8 frequent, then 8 rare)


def language() -> Language:
    """The one language; the seed of a collection decides what is said in it."""
    syllables = [
        onset + vowel
        for onsets in ONSETS
        for place, onset in enumerate(onsets)
        for vowel in VOWELS[place % len(VOWELS)]
    ]
    return Language(
        quantile_table(_rank),
        quantile_table(_successor),
        quantile_table(_length),
        strings(syllables),
        strings(CODAS),
        strings(_by_frequency(FUNCTION_WORDS, 256)),
        strings(EXTRAS + RARE),
    )


def strings(texts: Sequence[str]) -> Strings:
    """Texts as UTF-8, end to end."""
    encoded = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return Strings(np.frombuffer(b"".join(encoded), np.uint8).copy(), offsets)


def quantile_table(inverse_survival: Callable[[float], float]) -> np.ndarray:
    """Where P(X >= x) is 2^-octave (1 - cell / 2 CELLS), for reading by a draw's leading zeros."""
    table = np.empty((OCTAVES, CELLS + 1), np.int64)
    for octave in range(OCTAVES):
        for cell in range(CELLS + 1):
            survival = 2.0**-octave * (1 - cell / (2 * CELLS))
            table[octave, cell] = int(min(inverse_survival(survival), MOST))
    return table


def _rank(survival: float) -> float:
    """The real number whose whole part is a word's rank from 0."""
    core = CORE_WORDS + RANK_SHIFT
    head, tail = log(core / RANK_SHIFT), 1 / (TAIL_EXPONENT - 1)
    mass = survival * (head + tail)
    if mass > tail:
        return RANK_SHIFT * exp(head + tail - mass) - RANK_SHIFT
    return core * (mass / tail) ** (-1 / (TAIL_EXPONENT - 1)) - RANK_SHIFT


def _successor(survival: float) -> float:
    return SUCCESSOR_SHIFT * (survival ** (-1 / (SUCCESSOR_EXPONENT - 1)) - 1)


def _length(survival: float) -> float:
    if survival == 1:
        return SHORTEST
    tokens = MEDIAN_LENGTH * exp(LENGTH_SPREAD * NormalDist().inv_cdf(1 - survival))
    return min(max(tokens, SHORTEST), LONGEST)


def _by_frequency(words: Sequence[str], slots: int) -> list[str]:
    """Each word in as many of the slots as its place asks for: 1 / (place + 2) of all."""
    weights = np.array([1 / (place + 2) for place in range(len(words))])
    ends = np.rint(np.cumsum(weights) / weights.sum() * slots).astype(int)
    return [
        word
        for word, count in zip(words, np.diff(ends, prepend=0), strict=True)
        for _ in range(count)
    ]
