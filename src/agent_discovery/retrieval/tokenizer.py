"""The fast path of `signals.tokens`: UTF-8 bytes of many texts to interned token numbers.

Exact; linear in the bytes; the memory is the vocabulary's and a batch's.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from agent_discovery.retrieval.interning import fill_keys, look_up, move_slots, tokenize_texts
from agent_discovery.retrieval.scratch import Scratch
from agent_discovery.signals import MIN_TOKEN_LENGTH, STOPWORDS

_START_SLOTS = 1 << 16
_START_BYTES = 1 << 20


class Tokens(NamedTuple):
    """Token numbers of a batch of texts; text i is `ids[offsets[i]:offsets[i + 1]]`."""

    ids: np.ndarray  # uint32, one a retained token
    offsets: np.ndarray  # int64, (texts + 1,)


class Interner:
    """Numbers tokens from 0 in the order of first sight; stopwords take the first numbers.

    data, lengths: the tokens that `words(0)` of another interner gave; this one goes on from there.
    """

    def __init__(self, data: np.ndarray | None = None, lengths: np.ndarray | None = None) -> None:
        self._scratch = Scratch()
        self._slots = np.zeros((_START_SLOTS, 2), np.uint64)
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
        ids = self._scratch.take("ids", np.uint32, len(data) // MIN_TOKEN_LENGTH + 1)
        offsets = np.zeros(len(bounds), np.int64)
        self._size = tokenize_texts(
            *self._writable(data), bounds, self._slots, self._bytes, self._starts,
            self._size, self._stopwords, ids, offsets,
        )  # fmt: skip
        return Tokens(ids[: offsets[-1]].copy(), offsets)

    def words(self, first: int) -> tuple[np.ndarray, np.ndarray]:
        """The retained tokens from number `first` on, end to end (uint8), and their lengths."""
        starts = self._starts[self._stopwords + first : self._size + 1]
        return self._bytes[starts[0] : starts[-1]], np.diff(starts)

    def _add(self, data: np.ndarray, lengths: np.ndarray) -> None:
        self._reserve(len(data))
        ends = np.cumsum(lengths, dtype=np.int64)
        edges = np.stack([ends - lengths, ends], axis=1).ravel()
        keys, numbers = np.empty(len(ends), np.uint64), np.empty(len(ends), np.uint32)
        data, words = self._writable(data)
        fill_keys(words, edges, len(edges), keys)
        self._size = look_up(
            data, keys, edges, len(edges), self._slots, self._bytes, self._starts, self._size,
            numbers,
        )  # fmt: skip

    def _writable(self, data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A copy of bytes (uint8), and the same memory as words (uint64), two of them beyond it.

        The first byte is a word's lowest. It lasts until the next copy.
        """
        words = self._scratch.take("words", "<u8", len(data) // 8 + 3)
        copy = words.view(np.uint8)[: len(data)]
        copy[:] = data
        return copy, words

    def _reserve(self, new_bytes: int) -> None:
        """Make room for all the tokens that `new_bytes` of text could add."""
        tokens = self._size + new_bytes // MIN_TOKEN_LENGTH + 1
        self._bytes = _grown(self._bytes, int(self._starts[self._size]) + new_bytes + 1)
        self._starts = _grown(self._starts, tokens + 1)
        if 2 * tokens > len(self._slots):
            larger = np.zeros((1 << (2 * tokens).bit_length(), 2), np.uint64)
            move_slots(self._slots, larger)
            self._slots = larger


def _grown(array: np.ndarray, length: int) -> np.ndarray:
    if length <= len(array):
        return array
    larger = np.zeros(max(length, 2 * len(array)), array.dtype)
    larger[: len(array)] = array
    return larger


def _buffers(texts: pa.StringArray) -> tuple[np.ndarray, np.ndarray]:
    """The UTF-8 bytes (uint8) and bounds (int64, texts + 1, from 0 on) of a string array."""
    wide = texts.cast(pa.large_string())
    _, offsets, data = wide.buffers()
    bounds = np.frombuffer(offsets, np.int64)[wide.offset : wide.offset + len(wide) + 1]
    if data is None:
        return np.empty(0, np.uint8), bounds
    return np.frombuffer(data, np.uint8)[bounds[0] : bounds[-1]], bounds - bounds[0]
