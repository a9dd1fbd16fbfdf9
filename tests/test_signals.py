"""The plain definition of signals, by hand and against the reference."""

import reference
from generated import texts
from hypothesis import given
from hypothesis import strategies as st
from pytest import mark

from agent_discovery.signals import MAX_SIGNALS, STOPWORDS, signals, tokens

KELVIN = "\u212a"  # lower-cases to an ASCII k
DOTTED_I = "\u0130"  # lower-cases to an ASCII i and a combining dot, which ends the token


def numbered(stem: str, count: int) -> list[str]:
    """`stem00`, `stem01`, ...: in lexical order."""
    return [f"{stem}{number:02d}" for number in range(count)]


@mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t", []),
        ("The cat AND the Dog", ["cat", "dog"]),
        ("is it of the", []),
        ("a b cd 1 22 x9", ["cd", "22", "x9"]),
        ("get_user-id2 v1.0", ["get", "user", "id2", "v1"]),
        ("na\u00efve caf\u00e9", ["na", "ve", "caf"]),
        ("\uff21\uff22 \u0663\u0664 \u00df\u00df", []),  # full width, Arabic digits, sharp s
        (f"{KELVIN}elvin {KELVIN}9", ["kelvin", "k9"]),
        (f"a{DOTTED_I}bc {DOTTED_I}bc {DOTTED_I}{DOTTED_I}", ["ai", "bc", "bc"]),
        (f"th{DOTTED_I}s", ["thi"]),  # not the stopword "this": the dot splits it
        ("\u017fun \u0131d", ["un"]),  # long s and dotless i are no ASCII, whatever the case
    ],
)
def test_tokens_by_hand(text, expected):
    assert tokens(text) == expected


def test_there_are_61_stopwords():
    assert len(STOPWORDS) == 61
    assert STOPWORDS == reference.STOPWORDS


@mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("of the", []),
        ("hello", ["hello"]),
        ("go go go", ["go", "go_go"]),
        # Frequency first, then lexical order.
        ("zz yy zz aa", ["zz", "aa", "yy", "yy_zz", "zz_aa", "zz_yy"]),
        # The stopwords are gone before the pairs are made.
        ("book the flight to a city", ["book", "city", "flight", "book_flight", "flight_city"]),
        # An underscore in the text separates; the one in a bigram joins.
        ("user_id", ["id", "user", "user_id"]),
    ],
)
def test_signals_by_hand(text, expected):
    assert signals(text) == expected


def test_bigrams_are_ordered_by_the_joined_string():
    # Digits sort below the underscore and letters above it; as pairs, ab would come first.
    bigrams = signals("ab xy ab1 xy abc xy")[4:]
    assert bigrams == ["ab1_xy", "ab_xy", "abc_xy", "xy_ab1", "xy_abc"]


def test_the_cap_keeps_64_of_more_unigrams():
    words = numbered("t", 70)
    kept = signals(" ".join([*words, "t69", "t68", "t69"]))
    # t69 is there three times, t68 twice, the others once and so in lexical order.
    assert kept == ["t69", "t68", *words[:62]]


def test_the_cap_drops_the_last_bigrams():
    words = numbered("w", 40)
    kept = signals(" ".join(words))
    bigrams = [f"{first}_{second}" for first, second in zip(words[:24], words[1:25], strict=True)]
    assert kept == [*words, *bigrams]


@mark.parametrize(("distinct", "bigrams"), [(31, 30), (32, 31), (33, 31), (63, 1), (64, 0)])
def test_the_cap_at_its_edge(distinct, bigrams):
    kept = signals(" ".join(numbered("w", distinct)))
    assert len(kept) == distinct + bigrams <= MAX_SIGNALS
    assert sum("_" in signal for signal in kept) == bigrams


def test_a_smaller_cap():
    assert signals("zz yy zz", limit=3) == ["zz", "yy", "yy_zz"]
    assert signals("zz yy zz", limit=1) == ["zz"]


@given(texts)
def test_tokens_equal_the_reference(text):
    assert tokens(text) == reference.tokens(text)


@given(texts, st.sampled_from([1, 5, MAX_SIGNALS]))
def test_signals_equal_the_reference(text, limit):
    assert signals(text, limit) == reference.signals(text, limit)


@given(st.lists(st.text("ab1", min_size=1, max_size=4), min_size=30, max_size=120))
def test_long_texts_of_few_words_equal_the_reference(words):
    """Prefixes of one another, often repeated and beyond the cap: where the order matters."""
    text = " ".join(words)
    assert signals(text) == reference.signals(text)
