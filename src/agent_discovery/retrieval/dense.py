"""Dense retrieval: exact inner products of unit vectors, no vector database at this size."""

from collections.abc import Mapping, Sequence

import numpy as np

DECIMALS = 6  # the last bits of an inner product differ between BLAS libraries


def unit_vectors(texts: Sequence[str], vectors: Mapping[str, np.ndarray]) -> np.ndarray:
    """The texts' vectors at length 1: float64, shape (texts, dimensions)."""
    matrix = np.array([vectors[text] for text in texts], np.float64)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def cosines(queries: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """Cosine of each query with each node, rounded so that every machine ranks alike.

    queries: (queries, dimensions); nodes: (nodes, dimensions); both of length 1. Work is the
    product of the three sizes.
    """
    return np.round(queries @ nodes.T, DECIMALS) + 0.0  # no negative zero


def ranked(scores: np.ndarray, among: np.ndarray, first: int) -> list[int]:
    """The numbers of the `first` best of the nodes in `among`, ties by number (rising id).

    scores: float64, shape (nodes,); among: bool, shape (nodes,).
    """
    candidates = np.nonzero(among)[0]
    order = np.argsort(-scores[candidates], kind="stable")[:first]
    return candidates[order].tolist()
