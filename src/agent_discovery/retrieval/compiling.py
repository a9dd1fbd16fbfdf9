"""Compiling with numba, whose cache is kept where numba finds a place for it."""

from collections.abc import Callable
from typing import Any

import numba


def njit(**options: Any) -> Callable[[Callable], Callable]:
    """`numba.njit`; where no folder for its cache can be written, without one.

    That is so where the code is read-only and the user has no home, as in many containers. A cache
    in the folder for temporary files would not do: numba runs what it finds there, and anybody may
    write to it. NUMBA_CACHE_DIR, with a folder of one's own, saves compiling anew in each run.
    """

    def compiled(function: Callable) -> Callable:
        try:
            return numba.njit(**options)(function)
        except RuntimeError:  # "cannot cache function: no locator available"
            return numba.njit(**{**options, "cache": False})(function)

    return compiled
