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
_EMPTY = -1

_KELVIN = b"\xe2\x84\xaa"
_DOTTED_I = b"\xc4\xb0"
_KELVIN_0, _KELVIN_1, _KELVIN_2 = _KELVIN
_DOTTED_0, _DOTTED_1 = _DOTTED_I
_SEPARATOR = 0


class Tokens(NamedTuple):
    """Token numbers of a batch of texts; text i is `ids[offsets[i]:offsets[i + 1]]`."""

    ids: np.ndarray  # uint32, one a retained token
    offsets: np.ndarray  # int64, (texts + 1,)


class Interner:
    """Numbers tokens from 0 in the order of first sight; stopwords take the first numbers."""

    def __init__(self) -> None:
        self._slots = np.full(_START_SLOTS, _EMPTY, np.int32)
        self._bytes = np.empty(_START_BYTES, np.uint8)
        self._starts = np.zeros(_START_SLOTS, np.int64)
        self._size = 0
        self._stopwords = 0
        self.tokenize(pa.array([" ".join(sorted(STOPWORDS))]))
        self._stopwords = self._size

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

    def vocabulary(self) -> list[bytes]:
        """The retained tokens, in the order of their numbers."""
        data = self._bytes.tobytes()
        starts = self._starts[self._stopwords : self._size + 1].tolist()
        return [data[a:b] for a, b in zip(starts, starts[1:], strict=False)]

    def _reserve(self, new_bytes: int) -> None:
        """Make room for all the tokens that `new_bytes` of text could add."""
        tokens = self._size + new_bytes // MIN_TOKEN_LENGTH + 1
        self._bytes = _grown(self._bytes, int(self._starts[self._size]) + new_bytes + 1)
        self._starts = _grown(self._starts, tokens + 1)
        if 2 * tokens > len(self._slots):
            self._slots = np.full(1 << (2 * tokens).bit_length(), _EMPTY, np.int32)
            _rehash(self._slots, self._bytes, self._starts, self._size)


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
def _lowered(data, i, end):
    """The byte at i, lower-cased, or a separator; and the bytes it took."""
    c = data[i]
    if 97 <= c <= 122 or 48 <= c <= 57:
        return c, 1
    if 65 <= c <= 90:
        return np.uint8(c + 32), 1
    if c == _KELVIN_0 and i + 2 < end and data[i + 1] == _KELVIN_1 and data[i + 2] == _KELVIN_2:
        return np.uint8(107), 3
    return np.uint8(_SEPARATOR), 1


@njit(cache=True)
def _hash(data, start, end):
    """FNV-1a, 64 bits."""
    h = np.uint64(14695981039346656037)
    for i in range(start, end):
        h = (h ^ np.uint64(data[i])) * np.uint64(1099511628211)
    return h


@njit(cache=True)
def _slot_of(slots, pool, starts, start, end):
    """The slot of the token `pool[start:end]`: its own, or the empty one that it would take."""
    mask = np.uint64(len(slots) - 1)
    length = end - start
    slot = _hash(pool, start, end) & mask
    while slots[slot] != _EMPTY:
        known = starts[slots[slot]]
        if starts[slots[slot] + 1] - known == length:
            i = 0
            while i < length and pool[known + i] == pool[start + i]:
                i += 1
            if i == length:
                break
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(cache=True)
def _rehash(slots, pool, starts, size):
    for token in range(size):
        slots[_slot_of(slots, pool, starts, starts[token], starts[token + 1])] = token


@njit(cache=True)
def _tokenize(data, bounds, slots, pool, starts, size, stopwords, ids, offsets):
    """Fill `ids` and `offsets`; new tokens go to the end of `pool`. Returns how many there are."""
    count = 0
    for text in range(len(bounds) - 1):
        i, end = bounds[text], bounds[text + 1]
        while i < end:
            first = starts[size]
            last = first
            while i < end:
                byte, taken = _lowered(data, i, end)
                dotted = data[i] == _DOTTED_0 and i + 1 < end and data[i + 1] == _DOTTED_1
                i += taken
                if dotted:
                    pool[last] = 105
                    last += 1
                    i += 1
                if byte == _SEPARATOR:
                    break
                pool[last] = byte
                last += 1
            if last - first < MIN_TOKEN_LENGTH:
                continue
            slot = _slot_of(slots, pool, starts, first, last)
            token = slots[slot]
            if token == _EMPTY:
                token = size
                slots[slot] = size
                size += 1
                starts[size] = last
            if token >= stopwords:
                ids[count] = token - stopwords
                count += 1
        offsets[text + 1] = count
    return size
