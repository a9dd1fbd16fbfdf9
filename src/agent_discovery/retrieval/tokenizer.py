"""The fast path of `signals.tokens`: UTF-8 bytes of many texts to interned token numbers.

Exact, since of all non-ASCII characters only U+212A (Kelvin sign) and U+0130 (dotted
capital I) lower-case into `[a-z0-9]`: to `k`, and to `i` followed by a combining mark, which ends
the token. Linear in the bytes; the memory is the vocabulary's.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numba import njit

from agent_discovery.signals import MIN_TOKEN_LENGTH, STOPWORDS

_START_SLOTS = 1 << 16
_START_BYTES = 1 << 20
_FNV_START = np.uint64(14695981039346656037)
_NUMBER = np.uint64((1 << 32) - 1)

_KELVIN = b"\xe2\x84\xaa"
_DOTTED_I = b"\xc4\xb0"
_KELVIN_0, _KELVIN_1, _KELVIN_2 = _KELVIN
_DOTTED_0, _DOTTED_1 = _DOTTED_I
_SEPARATOR = 0
_OTHER = 1  # a byte that may begin a character that lower-cases into ASCII


def _lower_table() -> np.ndarray:
    """Each byte lower-cased, or a separator, or `_OTHER`. Shape (256,), uint8."""
    table = np.full(256, _SEPARATOR, np.uint8)
    for byte in b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ":
        table[byte] = ord(chr(byte).lower())
    table[[_KELVIN_0, _DOTTED_0]] = _OTHER
    return table


_LOWER = _lower_table()


class Tokens(NamedTuple):
    """Token numbers of a batch of texts; text i is `ids[offsets[i]:offsets[i + 1]]`."""

    ids: np.ndarray  # uint32, one a retained token
    offsets: np.ndarray  # int64, (texts + 1,)


class Interner:
    """Numbers tokens from 0 in the order of first sight; stopwords take the first numbers.

    data, lengths: the tokens that `words(0)` of another interner gave; this one goes on from there.
    """

    def __init__(self, data: np.ndarray | None = None, lengths: np.ndarray | None = None) -> None:
        self._slots = np.zeros(_START_SLOTS, np.uint64)
        self._bytes = np.empty(_START_BYTES, np.uint8)
        self._starts = np.zeros(_START_SLOTS, np.int64)
        self._size = 0
        self._stopwords = 0
        self.tokenize(pa.array([" ".join(sorted(STOPWORDS))]))
        self._stopwords = self._size
        if lengths is not None and len(lengths):
            self._add(data, lengths)

    def __len__(self) -> int:
        """Distinct retained tokens so far."""
        return self._size - self._stopwords

    def tokenize(self, texts: pa.StringArray) -> Tokens:
        """Intern the retained tokens of each text; numbers count from 0 after the stopwords."""
        data, bounds = _buffers(texts)
        self._reserve(len(data))
        ids = np.empty(len(data) // MIN_TOKEN_LENGTH + 1, np.uint32)
        offsets = np.zeros(len(bounds), np.int64)
        self._size = _tokenize(
            data, bounds, self._slots, self._bytes, self._starts, self._size, self._stopwords,
            ids, offsets,
        )  # fmt: skip
        return Tokens(ids[: offsets[-1]].copy(), offsets)

    def words(self, first: int) -> tuple[np.ndarray, np.ndarray]:
        """The retained tokens from number `first` on, end to end (uint8), and their lengths."""
        starts = self._starts[self._stopwords + first : self._size + 1]
        return self._bytes[starts[0] : starts[-1]], np.diff(starts)

    def _add(self, data: np.ndarray, lengths: np.ndarray) -> None:
        self._reserve(len(data))
        old, size = self._size, self._size + len(lengths)
        self._starts[old + 1 : size + 1] = self._starts[old] + np.cumsum(lengths, dtype=np.int64)
        self._bytes[self._starts[old] : self._starts[size]] = data
        self._size = size
        _rehash(self._slots, self._bytes, self._starts, old, size)

    def _reserve(self, new_bytes: int) -> None:
        """Make room for all the tokens that `new_bytes` of text could add."""
        tokens = self._size + new_bytes // MIN_TOKEN_LENGTH + 1
        self._bytes = _grown(self._bytes, int(self._starts[self._size]) + new_bytes + 1)
        self._starts = _grown(self._starts, tokens + 1)
        if 2 * tokens > len(self._slots):
            self._slots = np.zeros(1 << (2 * tokens).bit_length(), np.uint64)
            _rehash(self._slots, self._bytes, self._starts, 0, self._size)


def _grown(array: np.ndarray, length: int) -> np.ndarray:
    if length <= len(array):
        return array
    larger = np.zeros(max(length, 2 * len(array)), array.dtype)
    larger[: len(array)] = array
    return larger


def _buffers(texts: pa.StringArray) -> tuple[np.ndarray, np.ndarray]:
    """The UTF-8 bytes (uint8) and bounds (int64, texts + 1) of a string array, without a copy."""
    wide = texts.cast(pa.large_string())
    _, offsets, data = wide.buffers()
    bounds = np.frombuffer(offsets, np.int64)[wide.offset : wide.offset + len(wide) + 1]
    if data is None:
        return np.empty(0, np.uint8), bounds
    return np.frombuffer(data, np.uint8)[: bounds[-1]], bounds


@njit(cache=True)
def _hashed(h, byte):
    """A step of FNV-1a, 64 bits."""
    return (h ^ np.uint64(byte)) * np.uint64(1099511628211)


@njit(cache=True)
def _slot_of(slots, pool, starts, start, end, h):
    """The slot of the token `pool[start:end]`: its own, or the empty one that it would take.

    A slot holds a token's number + 1 and the upper half of its hash, which nearly always tells
    without a look at the token's bytes; 0 is an empty slot.
    """
    mask = np.uint64(len(slots) - 1)
    length = end - start
    slot = h & mask
    while slots[slot] != 0:
        if (slots[slot] ^ h) >> np.uint64(32) == 0:
            token = np.int64(slots[slot] & _NUMBER) - 1
            known = starts[token]
            if starts[token + 1] - known == length:
                i = 0
                while i < length and pool[known + i] == pool[start + i]:
                    i += 1
                if i == length:
                    break
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(cache=True)
def _filled(h, token):
    """What a slot holds for a token."""
    return (h & ~_NUMBER) | np.uint64(token + 1)


@njit(cache=True)
def _rehash(slots, pool, starts, first, last):
    """Give the tokens numbered [first, last) their slots."""
    for token in range(first, last):
        h = _FNV_START
        for i in range(starts[token], starts[token + 1]):
            h = _hashed(h, pool[i])
        slots[_slot_of(slots, pool, starts, starts[token], starts[token + 1], h)] = _filled(
            h, token
        )


@njit(cache=True)
def _tokenize(data, bounds, slots, pool, starts, size, stopwords, ids, offsets):
    """Fill `ids` and `offsets`; new tokens go to the end of `pool`. Returns how many there are."""
    count = 0
    for text in range(len(bounds) - 1):
        i, end = bounds[text], bounds[text + 1]
        while i < end:
            first = starts[size]
            last = first
            h = _FNV_START
            while i < end:
                byte = _LOWER[data[i]]
                i += 1
                if byte > _OTHER:
                    pool[last] = byte
                    last += 1
                    h = _hashed(h, byte)
                    continue
                if byte == _SEPARATOR:
                    break
                if (
                    data[i - 1] == _KELVIN_0
                    and i + 1 < end
                    and data[i] == _KELVIN_1
                    and data[i + 1] == _KELVIN_2
                ):
                    pool[last] = 107
                    last += 1
                    h = _hashed(h, 107)
                    i += 2
                    continue
                if data[i - 1] == _DOTTED_0 and i < end and data[i] == _DOTTED_1:
                    pool[last] = 105
                    last += 1
                    h = _hashed(h, 105)
                    i += 1
                break
            if last - first < MIN_TOKEN_LENGTH:
                continue
            slot = _slot_of(slots, pool, starts, first, last, h)
            if slots[slot] == 0:
                slots[slot] = _filled(h, size)
                size += 1
                starts[size] = last
            token = np.int64(slots[slot] & _NUMBER) - 1
            if token >= stopwords:
                ids[count] = token - stopwords
                count += 1
        offsets[text + 1] = count
    return size
