"""Sorted byte strings as two flat arrays: the index's tokens and its card ids."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit

from agent_discovery.signals import BIGRAM_JOINER


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

    def find_all(self, strings: Sequence[str]) -> list[int]:
        """The number of each string, or -1; one compiled call for all of them."""
        encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
        bounds = np.array(list(accumulate(map(len, encoded), initial=0)), np.int64)
        flat = np.frombuffer(b"".join(encoded), np.uint8)
        return _find_all(self.data, self.offsets, flat, bounds).tolist()


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


def joined_ranks(tokens: pa.Array) -> np.ndarray:
    """The rank of each token once the bigram's joiner is appended to it. Shape (tokens,), uint32.

    With (this rank of the first token, plain rank of the second) bigrams sort as their joined
    strings do, since no token with the joiner at its end is a prefix of another such.
    """
    joiner, nothing = (pa.scalar(part, tokens.type) for part in (BIGRAM_JOINER.encode(), b""))
    joined = pc.binary_join_element_wise(tokens, joiner, nothing)
    return inverse(pc.sort_indices(joined).to_numpy())


def inverse(order: np.ndarray) -> np.ndarray:
    """The inverse of a permutation, as uint32."""
    rank = np.empty(len(order), np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    return rank


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
def _find_all(data, offsets, flat, bounds):
    numbers = np.empty(len(bounds) - 1, np.int64)
    for i in range(len(numbers)):
        numbers[i] = _find(data, offsets, flat[bounds[i] : bounds[i + 1]])
    return numbers


@njit(cache=True)
def _compare(data, start, end, needle):
    """Negative, zero or positive as `data[start:end]` comes before, is, or comes after `needle`."""
    for i in range(min(end - start, len(needle))):
        if data[start + i] != needle[i]:
            return np.int64(data[start + i]) - np.int64(needle[i])
    return (end - start) - len(needle)
