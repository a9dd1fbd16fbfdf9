"""Timing by a clock that only the timed call moves, so that every figure is known beforehand."""

from types import SimpleNamespace

import pandas as pd
from pytest import approx, fixture

from agent_discovery.evaluation import latency
from agent_discovery.evaluation.latency import (
    LATENCY_SCHEMA,
    latency_summary,
    time_batch,
    time_queries,
)

MILLISECOND = 1_000_000  # in nanoseconds


class Answering:
    """A retriever that takes the given wall time, call by call; a quarter of it is CPU time."""

    def __init__(self, milliseconds: list[float]):
        self.now, self.asked = 0, []
        self._left = list(milliseconds)

    def __call__(self, text: str) -> str:
        self.asked.append(text)
        self.now += int(self._left.pop(0) * MILLISECOND)
        return text


@fixture
def answering(monkeypatch):
    def started(milliseconds: list[float]) -> Answering:
        answer = Answering(milliseconds)
        clocks = SimpleNamespace(
            perf_counter_ns=lambda: answer.now, thread_time_ns=lambda: answer.now // 4
        )
        monkeypatch.setattr(latency, "time", clocks)
        return answer

    return started


def test_the_median_of_the_repeats_counts_and_the_first_pass_does_not(answering):
    answer = answering([1000, 2000, 9, 1, 5, 40, 60, 50])
    rows = time_queries(answer, [("q1", "one"), ("q2", "two")], "SSR", "retrieval", 3)
    assert rows == [("q1", "SSR", "retrieval", 5, 1.25), ("q2", "SSR", "retrieval", 50, 12.5)]
    assert answer.asked == ["one", "two", "one", "one", "one", "two", "two", "two"]


def test_each_query_of_a_batch_has_an_equal_share(answering):
    answer = answering([1000, 30, 10, 20])
    rows = time_batch(answer, [("q1", "one"), ("q2", "two")], "scan", "retrieval", 3)
    assert rows == [(qid, "scan", "retrieval", 10, 2.5) for qid in ("q1", "q2")]
    assert answer.asked == [["one", "two"]] * 4


def test_an_even_number_of_repeats_takes_the_middle_of_two(answering):
    rows = time_queries(answering([7, 1, 2]), [("q", "text")], "m", "s", 2)
    assert rows == [("q", "m", "s", 1.5, 0.375)]


def test_less_than_a_millisecond_is_kept(answering):
    rows = time_queries(answering([0, 0.0004]), [("q", "text")], "m", "s", 1)
    assert rows == [("q", "m", "s", 0.0004, 0.0001)]


def test_rows_have_the_columns_of_the_schema(answering):
    (row,) = time_queries(answering([0, 1]), [("q", "text")], "m", "s", 1)
    assert len(row) == len(LATENCY_SCHEMA)
    assert LATENCY_SCHEMA.names == ["qid", "method", "stage", "wall_ms", "cpu_ms"]


def test_summary_by_hand():
    """Of 0, 10, ... 100, the 95th percentile lies half way between 90 and 100."""
    rows = [(str(n), "SSR", "retrieval", 10.0 * n, 1.0 * n) for n in range(11)]
    rows += [("0", "BM25", "retrieval", 7.0, 3.0), ("0", "SSR", "llm", 2.0, 1.0)]
    summary = latency_summary(pd.DataFrame(rows, columns=LATENCY_SCHEMA.names))
    assert summary.to_dict("records")[0] == {
        "method": "SSR",
        "stage": "retrieval",
        "queries": 11,
        "wall_ms_mean": approx(50),
        "wall_ms_median": approx(50),
        "wall_ms_p95": approx(95),
        "cpu_ms_mean": approx(5),
        "cpu_ms_median": approx(5),
        "cpu_ms_p95": approx(9.5),
    }
    assert summary["method"].tolist() == ["SSR", "BM25", "SSR"]
    assert summary["queries"].tolist() == [11, 1, 1]
    assert summary["wall_ms_p95"].tolist() == approx([95, 7, 2])


def test_mean_and_median_are_not_mistaken():
    rows = [(str(n), "m", "s", wall, 1.0) for n, wall in enumerate([1.0, 2.0, 9.0])]
    summary = latency_summary(pd.DataFrame(rows, columns=LATENCY_SCHEMA.names)).loc[0]
    assert (summary["wall_ms_mean"], summary["wall_ms_median"]) == (4, 2)
