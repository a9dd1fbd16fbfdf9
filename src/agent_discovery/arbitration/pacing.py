"""Holding calls back: a limit of tokens per minute, and a spending cap."""

import threading
import time
from collections import deque
from collections.abc import Callable

from agent_discovery.errors import InputError

WINDOW_S = 60.0


class SpendingCapReached(InputError):
    """The next call might pass `max_cost_usd`; what was answered is in the ledger."""


class Pace:
    """At most `tokens_per_minute` in any window of a minute; None is no limit.

    A call larger than the limit goes alone in its window. `clock` gives seconds; it and `sleep`
    can be replaced, so that tests need no time.
    """

    def __init__(
        self,
        tokens_per_minute: int | None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ):
        self._limit = tokens_per_minute
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._started: deque[tuple[float, int]] = deque()
        self._tokens = 0

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self._limit is not None

    def wait_for(self, tokens: int) -> float:
        """Return when a call of so many tokens may start; gives the seconds waited."""
        if self._limit is None:
            return 0.0
        with self._lock:
            now = self._clock()
            start = self._book(now, tokens)
        if start > now:
            self._sleep(start - now)
        return max(0.0, start - now)

    def _book(self, now: float, tokens: int) -> float:
        """Book the first moment, not before those booked already, at which the call fits."""
        start = max(now, self._started[-1][0]) if self._started else now
        while self._started:
            oldest, booked = self._started[0]
            if self._tokens + tokens > self._limit:
                start = max(start, oldest + WINDOW_S)
            elif oldest + WINDOW_S > start:
                break
            self._started.popleft()
            self._tokens -= booked
        self._started.append((start, tokens))
        self._tokens += tokens
        return start


class SpendingCap:
    """US dollars that may be spent in all; None is no cap.

    Each attempt's greatest cost is reserved before it is sent and settled when its cost is known,
    so that the cap is never passed, however many workers there are.
    """

    def __init__(self, max_cost_usd: float | None, spent_usd: float = 0.0):
        self._cap = max_cost_usd
        self._spent = spent_usd
        self._reserved: list[float] = []
        self._changed = threading.Condition()

    @property
    def capped(self) -> bool:
        """Whether there is a cap."""
        return self._cap is not None

    @property
    def spent_usd(self) -> float:
        """What the settled attempts cost, and what was spent before."""
        return self._spent

    def reserve(self, greatest_usd: float) -> None:
        """Set the greatest cost of an attempt aside; waits while others may yet free enough.

        Raises SpendingCapReached when even then it would not fit.
        """
        if self._cap is None:
            return
        with self._changed:
            while self._spent + sum(self._reserved) + greatest_usd > self._cap:
                if not self._reserved or self._spent + greatest_usd > self._cap:
                    raise SpendingCapReached(self._message(greatest_usd))
                self._changed.wait()
            self._reserved.append(greatest_usd)

    def settle(self, greatest_usd: float, cost_usd: float) -> None:
        """Replace a reservation by what the attempt cost."""
        with self._changed:
            if self._cap is not None:
                self._reserved.remove(greatest_usd)
            self._spent += cost_usd
            self._changed.notify_all()

    def _message(self, greatest_usd: float) -> str:
        return (
            f"llm.max_cost_usd: ${self._spent:.6f} of ${self._cap:.6f} is spent and the next call "
            f"may cost ${greatest_usd:.6f}: every answer so far is in the ledger; raise the cap "
            "and run the same command to go on"
        )
