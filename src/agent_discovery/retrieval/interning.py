"""The compiled loops of the tokenizer: where tokens stand in UTF-8 text, their keys, their numbers.

Each text passes four loops: where its tokens begin and end, their keys, their numbers, and which
are retained. Hardly a branch of them depends on the text, and keys are made of eight characters at
a time: most of the time would else go into mispredicted branches.

Of all non-ASCII characters only U+212A (Kelvin sign) and U+0130 (dotted capital I) lower-case into
`[a-z0-9]`: to `k`, and to `i` followed by a combining mark, which ends the token.
"""

import numpy as np

from agent_discovery.retrieval.compiling import njit
from agent_discovery.signals import MIN_TOKEN_LENGTH

_KELVIN_0, _KELVIN_1, _KELVIN_2 = "\u212a".encode()
_DOTTED_0, _DOTTED_1 = "\u0130".encode()
_K, _I, _SEPARATOR = b"ki "

_IS_TOKEN = np.zeros(256, np.uint8)
_IS_TOKEN[[*b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"]] = 1
_LOWER = np.uint8(0x20)  # the bit that letters differ by; a digit has it

# Eight characters stand in a 64-bit word, the first in its lowest byte.
_BYTES = np.uint64(0x0101010101010101)
_TWOS, _FOURS, _EIGHT = (np.uint64(m) for m in (0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0xFFFFFFFF))
_BEFORE_0 = np.uint64(ord("0") - 1)
_FROM_9_TO_A = np.uint64(ord("a") - ord("9") - 1)
# A token's key is its number of base 37, whose digits are its characters, 1 to 36, and 0 after its
# end. That of one of up to 12 characters, being below 2 ** 63, is of no other token.
_BASE, _BASE_2, _BASE_4 = (np.uint64(37**power) for power in (1, 2, 4))
_SHORT = np.uint64(12)
_LONG = np.uint64(1 << 63)  # in the keys of longer tokens, which are of several perhaps
_MIXER = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True)
def _has_other(text):
    """Whether a non-ASCII character that lower-cases into ASCII is there."""
    found = False
    for i in range(len(text) - 1):
        found |= (text[i] == _DOTTED_0) & (text[i + 1] == _DOTTED_1)
        found |= (text[i] == _KELVIN_0) & (text[i + 1] == _KELVIN_1)
    return found


@njit(cache=True)
def _replace_other(text):
    """Lower-case those characters in place, from the end; what becomes free in front is blank."""
    place = i = len(text)
    while i > 0:
        i -= 1
        place -= 1
        text[place] = text[i]
        if i > 0 and text[i - 1] == _DOTTED_0 and text[i] == _DOTTED_1:
            text[place] = _SEPARATOR
            place, i = place - 1, i - 1
            text[place] = _I
        elif i > 1 and (
            text[i - 2] == _KELVIN_0 and text[i - 1] == _KELVIN_1 and text[i] == _KELVIN_2
        ):
            text[place] = _K
            i -= 2
    text[:place] = _SEPARATOR


@njit(cache=True)
def _find(data, start, end, edges):
    """Fill where the runs of token characters in `data[start:end]` begin and end, in turn.

    Returns how many edges there are.
    """
    count = 0
    before = np.uint8(0)
    for i in range(start, end):
        now = _IS_TOKEN[data[i]]
        edges[count] = i  # overwritten by the next, where this is no edge
        count += before ^ now
        before = now
    edges[count] = end
    return count + before


@njit(cache=True)
def _digits(words, start, length):
    """The base-37 digits of up to eight characters from `start` on; a byte each, 0 after `length`.

    All numbers are uint64 here.
    """
    shift = (start & np.uint64(7)) << np.uint64(3)
    at = start >> np.uint64(3)
    word = words[at] >> shift
    word |= words[at + np.uint64(1)] << np.uint64(1) << (np.uint64(63) - shift)
    word |= _BYTES * np.uint64(_LOWER)
    letters = (word >> np.uint64(6)) & _BYTES
    digits = word - _BYTES * _BEFORE_0 - letters * _FROM_9_TO_A
    if length >= np.uint64(8):
        return digits
    return digits & ((np.uint64(1) << (length << np.uint64(3))) - np.uint64(1))


@njit(cache=True)
def _number(digits):
    """The number of eight base-37 digits; of the first four; uint64."""
    twos = (digits & _TWOS) * _BASE + (digits >> np.uint64(8) & _TWOS)
    fours = (twos & _FOURS) * _BASE_2 + (twos >> np.uint64(16) & _FOURS)
    return (fours & _EIGHT) * _BASE_4 + (fours >> np.uint64(32)), fours & _EIGHT


@njit(cache=True)
def fill_keys(words, edges, count, keys):
    """The keys of the tokens between `count` edges."""
    eight = np.uint64(8)
    for i in range(count // 2):
        start, end = np.uint64(edges[2 * i]), np.uint64(edges[2 * i + 1])
        length = end - start
        key = _number(_digits(words, start, length))[0] * _BASE_4
        key += _number(_digits(words, start + eight, max(length, eight) - eight))[1]
        if length > _SHORT:
            while start + eight < end:
                start += eight
                key = key * _MIXER + _number(_digits(words, start, end - start))[0]
            key |= _LONG
        keys[i] = key


@njit(cache=True)
def _first_slot(key, slots):
    """Where the search for a key begins."""
    mixed = key * _MIXER
    return (mixed ^ (mixed >> np.uint64(32))) & np.uint64(len(slots) - 1)


@njit(cache=True)
def move_slots(slots, larger):
    """Give all tokens their slots in a larger, empty table."""
    mask = np.uint64(len(larger) - 1)
    for old in range(len(slots)):
        if slots[old, 0] != 0:
            slot = _first_slot(slots[old, 0], larger)
            while larger[slot, 0] != 0:
                slot = (slot + np.uint64(1)) & mask
            larger[slot, 0] = slots[old, 0]
            larger[slot, 1] = slots[old, 1]


@njit(cache=True)
def look_up(data, keys, edges, count, slots, pool, starts, size, numbers):
    """Fill the numbers of the tokens between `count` edges; new ones go to the end of `pool`.

    A slot holds a token's key and number; the key 0 is an empty slot's. Nearly every token is found
    by a look at a single place in memory. Returns how many tokens are known.
    """
    mask = np.uint64(len(slots) - 1)
    for i in range(count // 2):
        key = keys[i]
        slot = _first_slot(key, slots)
        while slots[slot, 0] != 0:
            if slots[slot, 0] == key and (
                key < _LONG or _same(pool, starts, slots[slot, 1], data, edges, i)
            ):
                break
            slot = (slot + np.uint64(1)) & mask
        if slots[slot, 0] == 0:
            slots[slot, 0], slots[slot, 1] = key, size
            starts[size + 1] = starts[size]
            for j in range(edges[2 * i], edges[2 * i + 1]):
                pool[starts[size + 1]] = data[j] | _LOWER
                starts[size + 1] += 1
            size += 1
        numbers[i] = slots[slot, 1]
    return size


@njit(cache=True)
def _same(pool, starts, number, data, edges, i):
    """Whether a known token is the one between edges 2 i and 2 i + 1."""
    known, start = starts[number], edges[2 * i]
    length = edges[2 * i + 1] - start
    if starts[number + np.uint64(1)] - known != length:
        return False
    j = 0
    while j < length and pool[known + j] == data[start + j] | _LOWER:
        j += 1
    return j == length


@njit(cache=True)
def _without_short(edges, count):
    """Take the edges of too short tokens away; how many are left."""
    left = 0
    for i in range(0, count, 2):
        start, end = edges[i], edges[i + 1]
        edges[left], edges[left + 1] = start, end
        left += 2 * (end - start >= MIN_TOKEN_LENGTH)
    return left


@njit(cache=True)
def tokenize_texts(data, words, bounds, slots, pool, starts, size, stopwords, ids, offsets):
    """Fill `ids` and `offsets`; new tokens go to the end of `pool`. Returns how many there are."""
    longest = 0
    for text in range(len(bounds) - 1):
        longest = max(longest, bounds[text + 1] - bounds[text])
    edges = np.empty(longest + 2, np.int64)
    most = longest // MIN_TOKEN_LENGTH + 1
    keys, numbers = np.empty(most, np.uint64), np.empty(most, np.uint32)
    retained = 0
    for text in range(len(bounds) - 1):
        text_bytes = data[bounds[text] : bounds[text + 1]]
        if _has_other(text_bytes):
            _replace_other(text_bytes)
        count = _without_short(edges, _find(data, bounds[text], bounds[text + 1], edges))
        fill_keys(words, edges, count, keys)
        size = look_up(data, keys, edges, count, slots, pool, starts, size, numbers)
        for i in range(count // 2):
            ids[retained] = numbers[i] - stopwords  # overwritten by the next, if a stopword's
            retained += numbers[i] >= stopwords
        offsets[text + 1] = retained
    return size
