"""Tokens per minute by an injected clock, and the spending cap."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_discovery.arbitration.attempts import (
    LONGEST_BACKOFF_S,
    Attempt,
    Verdict,
    wait_before_next,
)
from agent_discovery.arbitration.pacing import WINDOW_S, Pace, SpendingCap, SpendingCapReached


class Clock:
    """Time that passes only in sleep."""

    def __init__(self):
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def paced(limit: int | None) -> tuple[Pace, Clock]:
    clock = Clock()
    return Pace(limit, clock, clock.sleep), clock


def test_no_limit_never_waits():
    pace, clock = paced(None)
    assert [pace.wait_for(10**9) for _ in range(3)] == [0, 0, 0] and clock.now == 0


def test_the_call_beyond_the_limit_waits_for_the_window():
    pace, _ = paced(100)
    assert [pace.wait_for(50) for _ in range(5)] == [0, 0, WINDOW_S, 0, WINDOW_S]


def test_a_call_larger_than_the_limit_goes_alone():
    pace, clock = paced(100)
    pace.wait_for(10)
    pace.wait_for(1000)
    assert clock.now == WINDOW_S
    pace.wait_for(10)
    assert clock.now == 2 * WINDOW_S


@given(
    st.lists(st.tuples(st.integers(1, 100), st.floats(0, 90)), max_size=30), st.integers(100, 300)
)
def test_no_window_of_a_minute_passes_the_limit(calls, limit):
    pace, clock = paced(limit)
    started = []
    for tokens, idle in calls:
        clock.now += idle
        pace.wait_for(tokens)
        started.append((clock.now, tokens))
    for begin, _ in started:
        inside = [n for at, n in started if begin <= at < begin + WINDOW_S - 1e-6]
        assert sum(inside) <= limit


def test_workers_share_the_limit():
    moments: list[float] = []
    pace = Pace(100, lambda: 0.0, moments.append)
    threads = [threading.Thread(target=pace.wait_for, args=(50,)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(moments) == [60, 60, 120, 120]


def test_cap_stops_before_it_is_passed():
    cap = SpendingCap(1.0)
    for _ in range(3):
        cap.reserve(0.3)
        cap.settle(0.3, 0.3)
    with pytest.raises(SpendingCapReached, match="llm.max_cost_usd.*run the same command"):
        cap.reserve(0.3)
    assert cap.spent_usd == pytest.approx(0.9)


def test_what_was_spent_before_counts():
    with pytest.raises(SpendingCapReached):
        SpendingCap(1.0, spent_usd=0.9).reserve(0.2)


def test_a_cap_of_nothing_lets_free_calls_pass():
    cap = SpendingCap(0.0)
    cap.reserve(0.0)
    with pytest.raises(SpendingCapReached):
        cap.reserve(1e-9)


def test_no_cap():
    cap = SpendingCap(None)
    cap.reserve(1e9)
    cap.settle(1e9, 2.0)
    assert cap.spent_usd == 2.0


def test_reservation_waits_for_another_that_may_yet_cost_less():
    cap = SpendingCap(1.0)
    cap.reserve(0.9)
    passed = threading.Event()
    waiting = threading.Thread(target=lambda: (cap.reserve(0.5), passed.set()))
    waiting.start()
    assert not passed.wait(0.05)
    cap.settle(0.9, 0.1)
    assert passed.wait(5)
    waiting.join()


def test_many_workers_never_pass_the_cap():
    cap = SpendingCap(1.0)
    most = []

    def work():
        try:
            while True:
                cap.reserve(0.07)
                most.append(cap.spent_usd)
                cap.settle(0.07, 0.06)
        except SpendingCapReached:
            pass

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert 0.93 < cap.spent_usd <= 1.0 and len(most) == round(cap.spent_usd / 0.06)


def test_waits_double_up_to_the_longest_however_often_a_server_is_busy():
    busy = [Attempt(Verdict.RATE_LIMIT)]
    waits = [wait_before_next(busy * tries, 5, 1e6) for tries in range(1, 9)]
    assert waits == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert wait_before_next(busy * 20_000, 5, 1e6) == LONGEST_BACKOFF_S
