"""Configuration, answers, arbiter bodies and ids: any value is read, or refused in one line."""

import json
from pathlib import PurePosixPath
from typing import Any

import pytest
from budget import examples, held
from corpus_files import refusal
from hypothesis import given
from hypothesis import strategies as st
from test_fuzz_cards import HOSTILE, json_values, texts

from agent_discovery.arbitration.answer import read_answer
from agent_discovery.arbitration.offline_reply import read_body
from agent_discovery.config import Config, keys, read_config
from agent_discovery.corpora import check_spec, slug
from agent_discovery.retrieval.embeddings import folder_of

KEYS = [name.split(".") for name, *_ in keys()]
HUGE = 10**5000  # Python refuses to write it in digits
# Made only when drawn: hypothesis writes out what a strategy is made of.
huge = st.builds(pow, st.just(10), st.just(5000))
values = json_values | st.sampled_from(HOSTILE) | huge | st.lists(huge, max_size=2)
values |= st.dictionaries(texts, huge, max_size=1)


@st.composite
def configurations(draw: st.DrawFn) -> dict[Any, Any]:
    """Some keys of the configuration, now and then an unknown one, with any values."""
    found: dict[Any, Any] = {}
    for path in draw(st.lists(st.sampled_from(KEYS), max_size=4)):
        holder = found
        for part in path[:-1]:
            holder = holder.setdefault(part, {})
            if not isinstance(holder, dict):
                break
        else:
            holder[path[-1]] = draw(values)
    if draw(st.integers(0, 4)) == 0:
        found[draw(values.filter(lambda value: isinstance(value, str | int)))] = draw(values)
    return found


@examples(0.1)
@given(configurations() | st.dictionaries(texts, values, max_size=3))
def test_any_configuration_is_read_or_refused(given_values):
    config = held(read_config, given_values)
    if config is not None:
        assert isinstance(config, Config)
        assert len(PurePosixPath("results", config.profile).parts) == 2


@pytest.mark.parametrize("value", [{"rq2": {"k": HUGE}}, {HUGE: 1}, {"corpus": [HUGE]}])
def test_a_number_that_python_cannot_write_is_refused(value):
    assert refusal(read_config, value).startswith("config: ")


@examples(0.08)
@given(
    st.text(max_size=60)
    | json_values.map(json.dumps)
    | st.builds('{{"selected_index": {}}}'.format, json_values.map(json.dumps)),
    st.integers(0, 5000),
)
def test_any_answer_is_a_place_in_the_pool_or_a_fault(content, pool):
    selection = held(read_answer, content, pool)
    if selection.position is None:
        assert selection.fault
    else:
        assert type(selection.position) is int and 1 <= selection.position <= pool


@examples(0.03)
@given(st.binary(max_size=60) | json_values.map(lambda value: json.dumps(value).encode()))
def test_any_body_is_a_chat_completion_or_refused(content):
    held(read_body, content)


@examples(0.06)
@given(st.text() | st.sampled_from(HOSTILE).flatmap(lambda text: st.just(f"files:{text}")))
def test_any_name_becomes_one_folder_inside_the_results(text):
    held(check_spec, text)
    for made in (held(slug, text), held(folder_of, text.encode("utf-8", "replace").decode())):
        if made:
            assert len(made) < 256 or made == text
            assert PurePosixPath("results", made).name == made or made in (".", "..")
