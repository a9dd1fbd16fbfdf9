"""Sorted byte strings as two flat arrays: the index's tokens and its card ids."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from agent_discovery.retrieval.compiling import njit
from agent_discovery.retrieval.keys import FIRST_SHIFT
from agent_discovery.signals import BIGRAM_JOINER

SPACE = " "  # which no signal holds
SPACE_BYTE, JOINER_BYTE = ord(SPACE), ord(BIGRAM_JOINER)
NO_TOKEN = -2


@dataclass(frozen=True)
class SortedStrings:
    """Distinct UTF-8 strings in lexical order; number i is `data[offsets[i]:offsets[i + 1]]`."""

    data: np.ndarray  # uint8
    offsets: np.ndarray  # int64, (strings + 1,)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, number: int) -> str:
        start, end = self.offsets[number], self.offsets[number + 1]
        return self.data[start:end].tobytes().decode()

    def find(self, string: str) -> int:
        """The number of a string, or -1; binary search."""
        return _find(
            self.data,
            self.offsets,
            np.frombuffer(string.encode("utf-8", "surrogatepass"), np.uint8),
        )

    def find_all(self, tokens: Sequence[str]) -> list[int]:
        """The number of each of some tokens of `signals.tokens`, or -1; one compiled call."""
        flat = np.frombuffer(SPACE.join(tokens).encode("ascii"), np.uint8)
        return _find_all(self.data, self.offsets, flat, len(tokens))[:, 0].tolist()

    def find_keys(self, signals: Sequence[str]) -> np.ndarray:
        """The keys (`keys`) of those signals whose tokens are all there, in their order; uint64."""
        flat = np.frombuffer(SPACE.join(signals).encode("ascii"), np.uint8)
        return _find_keys(self.data, self.offsets, flat, len(signals))


def as_strings(data: np.ndarray, lengths: np.ndarray, string_type: pa.DataType) -> pa.Array:
    """Strings that stand end to end in `data` (uint8) as an array of a large type, not copied."""
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(string_type, len(lengths), buffers)


def find_ordered(data: np.ndarray, offsets: np.ndarray, order: np.ndarray, string: str) -> int:
    """The number of a string among distinct ones, or -1; `order`: their numbers, as they sort."""
    needle = np.frombuffer(string.encode("utf-8", "surrogatepass"), np.uint8)
    return int(_find_ordered(data, offsets, order, needle))


def sort_strings(strings: pa.Array) -> tuple[SortedStrings, np.ndarray]:
    """Distinct strings sorted by their bytes, and the rank of each. Shape (strings,), uint32."""
    order = pc.sort_indices(strings)
    ordered = strings.take(order).cast(pa.large_binary())
    _, offsets, data = ordered.buffers()
    flat = np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8)
    bounds = np.frombuffer(offsets, np.int64)[: len(ordered) + 1]
    return SortedStrings(flat[: bounds[-1]], bounds), inverse(order.to_numpy())


def joined_ranks(tokens: SortedStrings) -> np.ndarray:
    """The rank of each token once the bigram's joiner is appended to it. Shape (tokens,), uint32.

    With (this rank of the first token, plain rank of the second) bigrams sort as their joined
    strings do, since no token with the joiner at its end is a prefix of another such.
    """
    return _joined_ranks(tokens.data, tokens.offsets)


def inverse(order: np.ndarray) -> np.ndarray:
    """The inverse of a permutation, as uint32."""
    rank = np.empty(len(order), np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    return rank


@njit(cache=True)
def _joined_ranks(data, offsets):
    """The joiner sorts after digits and before letters: so a token passes those, and only those,
    that go on from it with a digit. They stand right behind it, and it waits for them."""
    ranks = np.empty(len(offsets) - 1, np.uint32)
    waiting = np.empty(len(ranks), np.int64)  # each goes on from the one before it with a digit
    count = ranked = 0
    for token in range(len(ranks)):
        while count and not _goes_on(data, offsets, waiting[count - 1], token):
            count -= 1
            ranks[waiting[count]] = ranked
            ranked += 1
        waiting[count] = token
        count += 1
    while count:
        count -= 1
        ranks[waiting[count]] = ranked
        ranked += 1
    return ranks


@njit(cache=True)
def _goes_on(data, offsets, token, other):
    """Whether a token goes on from another one with what sorts before the joiner."""
    start, end, start_of_other = offsets[token], offsets[token + 1], offsets[other]
    if offsets[other + 1] - start_of_other <= end - start:
        return False
    for i in range(end - start):
        if data[start + i] != data[start_of_other + i]:
            return False
    return data[start_of_other + end - start] < JOINER_BYTE


@njit(cache=True)
def _find(data, offsets, needle):
    low, high = 0, len(offsets) - 1
    while low < high:
        middle = (low + high) // 2
        if _compare(data, offsets[middle], offsets[middle + 1], needle) < 0:
            low = middle + 1
        else:
            high = middle
    if low < len(offsets) - 1 and _compare(data, offsets[low], offsets[low + 1], needle) == 0:
        return low
    return -1


@njit(cache=True)
def _find_ordered(data, offsets, order, needle):
    low, high = 0, len(order)
    while low < high:
        middle = (low + high) // 2
        number = order[middle]
        place = _compare(data, offsets[number], offsets[number + 1], needle)
        if place == 0:
            return np.int64(number)
        if place < 0:
            low = middle + 1
        else:
            high = middle
    return np.int64(-1)


@njit(cache=True)
def _find_all(data, offsets, flat, count):
    """flat: tokens, or two of them with the joiner between, with a space after each but the last.

    A token that was there before in `flat` is not searched for again.
    """
    numbers = np.full((count, 2), NO_TOKEN, np.int64)
    starts, ends = np.empty(2 * count, np.int64), np.empty(2 * count, np.int64)
    known = np.empty(2 * count, np.int64)
    tokens, row, column, start = 0, 0, 0, 0
    for end in range(len(flat) + (count > 0)):
        if end < len(flat) and flat[end] != SPACE_BYTE and flat[end] != JOINER_BYTE:
            continue
        before = 0
        while before < tokens and not _equal(flat, starts[before], ends[before], start, end):
            before += 1
        if before == tokens:
            starts[tokens], ends[tokens] = start, end
            known[tokens] = _find(data, offsets, flat[start:end])
            tokens += 1
        numbers[row, column] = known[before]
        start = end + 1
        if end < len(flat) and flat[end] == JOINER_BYTE:
            column = 1
        else:
            row, column = row + 1, 0
    return numbers


@njit(cache=True)
def _find_keys(data, offsets, flat, count):
    """`_find_all` of signals, packed into keys."""
    keys = np.empty(count, np.uint64)
    size = 0
    for first, second in _find_all(data, offsets, flat, count):
        if first != -1 and second != -1:
            low = 0 if second == NO_TOKEN else second + 1
            keys[size] = np.uint64(first) << np.uint64(FIRST_SHIFT) | np.uint64(low)
            size += 1
    return keys[:size]


@njit(cache=True)
def _equal(flat, start, end, other_start, other_end):
    """Whether two parts of `flat` are the same."""
    length = end - start
    if length != other_end - other_start:
        return False
    i = 0
    while i < length and flat[start + i] == flat[other_start + i]:
        i += 1
    return i == length


@njit(cache=True)
def _compare(data, start, end, needle):
    """Negative, zero or positive as `data[start:end]` comes before, is, or comes after `needle`."""
    for i in range(min(end - start, len(needle))):
        if data[start + i] != needle[i]:
            return np.int64(data[start + i]) - np.int64(needle[i])
    return (end - start) - len(needle)
