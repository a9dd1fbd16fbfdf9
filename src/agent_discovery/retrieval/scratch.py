"""Memory that is used again: fresh memory costs more than most of what is done in it."""

from typing import Any

import numpy as np


class Scratch:
    """Arrays by name, each of which the next one of that name overwrites."""

    def __init__(self) -> None:
        self._kept: dict[str, np.ndarray] = {}

    def take(self, name: str, dtype: Any, length: int) -> np.ndarray:
        """An array of whatever values, (length,); it lasts until the name is taken again."""
        kept = self._kept.get(name)
        if kept is None or len(kept) < length or kept.dtype != dtype:
            self._kept.pop(name, None)
            kept = self._kept[name] = np.empty(length, dtype)
        return kept[:length]
