"""The compiled loops of the tokenizer against plain Python, one by one."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from agent_discovery.retrieval.interning import fill_keys, look_up, move_slots

LONG = 1 << 63
token_texts = st.text("aZz09k", min_size=2, max_size=30)
between = st.text("\u00e9\u212b -\0", min_size=1, max_size=9)


def keys_of(text: str, spans: list[tuple[int, int]]) -> list[int]:
    data = text.encode()
    words = np.frombuffer(data + b"\xff" * (24 - len(data) % 8), "<u8")
    edges = np.array(spans, np.int64).ravel()
    keys = np.empty(len(spans), np.uint64)
    fill_keys(words, edges, len(edges), keys)
    return keys.tolist()


@given(between, token_texts, between)
def test_a_key_is_the_number_of_the_characters(before, token, after):
    """Of base 37 and twelve digits, wherever the token stands and whatever stands beside it."""
    start = len(before.encode())
    (key,) = keys_of(before + token + after, [(start, start + len(token))])
    if len(token) > 12:
        assert key >= LONG
    else:
        digits = [int(character, 36) + 1 for character in token] + [0] * (12 - len(token))
        assert key == sum(digit * 37 ** (11 - place) for place, digit in enumerate(digits))


@given(token_texts, token_texts, between)
@example("k" * 20, "k" * 19 + "z", " ")
@example("k" * 13, "k" * 12 + "z", " ")
def test_only_equal_tokens_have_equal_keys(token, other, mark):
    text = token + mark + other
    second = len((token + mark).encode())
    one, two = keys_of(text, [(0, len(token)), (second, second + len(other))])
    assert (one == two) == (token.lower() == other.lower())


@given(st.lists(st.sampled_from(["abcabcabcabc1", "abcabcabcabc2", "xyz" * 5, "XYZ" * 5])))
def test_tokens_of_one_key_are_told_apart(tokens):
    """In a table with no slot to spare, whose end is passed, and moved to a larger one half-way."""
    known: dict[str, int] = {}
    expected = [known.setdefault(token.lower(), len(known)) for token in tokens]
    data = np.frombuffer("".join(tokens).encode(), np.uint8)
    ends = np.cumsum([len(token) for token in tokens], dtype=np.int64)
    edges = np.stack([np.append(0, ends[:-1])[: len(ends)], ends], axis=1).ravel()
    keys, numbers = np.full(len(tokens), LONG + 1, np.uint64), np.empty(len(tokens), np.uint32)
    pool, starts = np.empty(100, np.uint8), np.zeros(5, np.int64)
    slots, larger = np.zeros((4, 2), np.uint64), np.zeros((16, 2), np.uint64)
    half = len(tokens) // 2
    size = look_up(data, keys, edges, 2 * half, slots, pool, starts, 0, numbers)
    move_slots(slots, larger)
    size = look_up(
        data, keys[half:], edges[2 * half :], 2 * (len(tokens) - half), larger, pool, starts, size,
        numbers[half:],
    )  # fmt: skip
    assert numbers.tolist() == expected and size == len(known)
    spelled = [
        pool[a:b].tobytes().decode() for a, b in zip(starts[:size], starts[1:], strict=False)
    ]
    assert spelled == list(known)
