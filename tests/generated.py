"""Made-up texts and cards that several tests share."""

import random
from collections.abc import Iterable

from hypothesis import strategies as st

from agent_discovery.cards import Card, Field

# Words that a tokenizer may trip over: stopwords, one character, digits, prefixes of one another.
WORDS = ["the", "Of", "a", "x", "7", "22", "ab", "AB", "abc", "ab1", "ab12", "go", "zz9", "near"]
WORDS += ["\u212aelvin", "a\u0130", "\u0130x", "na\u00efve"]
# What may stand between them. U+2129 and U+212B share bytes with the Kelvin sign, U+0131 with the
# dotted I; U+017F (long s) upper-cases into ASCII but does not lower-case into it.
MARKS = ["", " ", "_", "-", "\n", "\0", "\u0130", "\u0131", "\u017f", "\u0307", "\u2129", "\u212b"]
ALPHABET = "aAbBkKiI019_ \u212a\u0130\u0131\u017f\u0307\u00e9\u2129\U0001f600"

texts = st.one_of(
    st.text(),
    st.text(alphabet=ALPHABET),
    st.lists(st.sampled_from(WORDS + MARKS)).map("".join),
    st.lists(st.sampled_from(WORDS), max_size=90).map(" ".join),
)


def card_of(card_id: str, *field_texts: str) -> Card:
    """A card with the given texts as its fields `part0`, `part1`, ..."""
    fields = tuple(Field(f"part{i}", text) for i, text in enumerate(field_texts))
    return Card(card_id, "name", "description", fields, None, "tool", "made-up")


def cards_of(card_texts: Iterable[str], first: int = 0) -> list[Card]:
    """A card of one field for each text; ids are the numbers from `first` on."""
    return [card_of(str(number), text) for number, text in enumerate(card_texts, first)]


def random_texts(count: int, seed: int, longest: int = 60) -> list[str]:
    """Texts over 120 words, some far more frequent than others, so that scores often tie."""
    rng = random.Random(seed)
    words = [f"{stem}{number}" for stem in ("ab", "map", "w") for number in range(40)]
    weights = [1 / (place + 1) for place in range(len(words))]
    lengths = [rng.randint(1, longest) for _ in range(count)]
    return [" ".join(rng.choices(words, weights, k=length)) for length in lengths]


def random_cards(count: int, seed: int) -> list[Card]:
    """Cards of three fields each, from a word to beyond the cap of signals."""
    parts = random_texts(3 * count, seed)
    return [card_of(f"card{n}", *parts[3 * n : 3 * n + 3]) for n in range(count)]
