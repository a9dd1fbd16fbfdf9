"""Strict reading of answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_discovery.arbitration.answer import read_answer


@pytest.mark.parametrize(
    "written", ["3", "3.0", '"3"', "3e0", '"03"', "0.3e1"], ids=lambda written: written
)
def test_accepted_forms(written):
    assert read_answer(f' {{"selected_index": {written}, "why": "fits"}}\n', 3).position == 3


@pytest.mark.parametrize(
    "written",
    ["0", "4", "-1", "-0.0", "3.5", "1e999", "true", "false", "null", "[3]", '{"i": 3}']
    + ['"3.0"', '" 3"', '"+3"', '"three"', '""', '"\u0663"', '"' + "9" * 40 + '"', "NaN"]
    + ["Infinity", "9" * 5000],
    ids=lambda written: written[:12],
)
def test_refused_values(written):
    selection = read_answer(f'{{"selected_index": {written}}}', 3)
    assert selection.position is None and selection.fault


@pytest.mark.parametrize(
    "content",
    ["", " ", "3", "[3]", '"3"', "null", "{}", '{"index": 3}', '{"Selected_Index": 3}']
    + ['I choose {"selected_index": 3}', '{"selected_index": 3} as it fits', '{"selected_index": ']
    + [
        '```json\n{"selected_index": 3}\n```',
        "{'selected_index': 3}",
        '\ufeff{"selected_index": 3}',
    ]
    + ['{"selected_index": 1, "selected_index": 3}', "[" * 100_000],
    ids=lambda content: content[:30],
)
def test_refused_contents(content):
    assert read_answer(content, 3).position is None


def test_edges_of_the_pool():
    assert read_answer('{"selected_index": 1}', 1).position == 1
    assert read_answer('{"selected_index": 1}', 0).position is None


@given(st.text())
def test_no_text_raises(content):
    assert read_answer(content, 5).position is None or "selected_index" in content


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_within_the_pool_or_not(index, size):
    position = read_answer(f'{{"selected_index": {index}}}', size).position
    assert position == (index if index <= size else None)
