"""Token counts against an independent encoder (tiktoken) over OpenAI's own vocabulary."""

import base64
import gzip
import hashlib
from importlib.resources import files

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_discovery.arbitration.offline_reply import OFFLINE_MODEL
from agent_discovery.arbitration.prompt import Candidate, messages_for
from agent_discovery.arbitration.tokens import (
    chat_tokens,
    cost_usd,
    count,
    estimated_tokens,
    greatest_tokens,
    uses_o200k,
)

# What tiktoken itself checks its download of o200k_base against, and its pattern.
O200K_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
O200K_PATTERN = "|".join(
    [
        rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{CONTRACTIONS}",
        rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{CONTRACTIONS}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)
HARD = ["{", "}", '"', ",", ":", "\n", "\r", "/", " ", "  ", "\t", "1", "12", "3456", "٣", "½"]
HARD += [
    "a",
    "B",
    "é",
    "e\u0301",
    "中",
    "文字",
    "😀",
    "👩‍👩‍👧",
    "<|endoftext|>",
    "'s",
    "'LL",
    "\u2028",
]
HARD += ['\n{"index":', '{"index":7,"name":"', '"}\n', "\x85", "\x1c", "\u3000", "\u00a0", "ß"]
hard_text = st.lists(st.sampled_from(HARD), max_size=40).map("".join)


@pytest.fixture(scope="module")
def independent() -> tiktoken.Encoding:
    packed = (files("bpe_openai.data") / "o200k_base.tiktoken.gz").read_bytes()
    vocabulary = gzip.decompress(packed)
    assert hashlib.sha256(vocabulary).hexdigest() == O200K_SHA256
    pairs = (line.split() for line in vocabulary.splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
    return tiktoken.Encoding(
        "o200k", pat_str=O200K_PATTERN, mergeable_ranks=ranks, special_tokens={}
    )


def plain_count(encoding: tiktoken.Encoding, text: str) -> int:
    return len(encoding.encode_ordinary(text))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello world", 2), ("123456", 2), ('{"selected_index": 17}', 7), ("\n\n", 1)],
)
def test_hand_verified_counts(text, tokens):
    assert count(text) == tokens


def test_special_tokens_count_as_text(independent):
    assert count("<|endoftext|>") == plain_count(independent, "<|endoftext|>") > 1


@settings(max_examples=1000)
@given(hard_text)
def test_counts_by_piece_equal_whole_counts(independent, text):
    assert count(text) == plain_count(independent, text)


@given(st.text())
def test_counts_of_any_text(independent, text):
    assert count(text) == plain_count(independent, text)


@given(st.text(), st.lists(st.tuples(hard_text, hard_text), max_size=5))
def test_counts_of_prompts(independent, query, texts):
    messages = messages_for(query, [Candidate("", *pair) for pair in texts])
    plain = sum(plain_count(independent, message["content"]) for message in messages)
    assert chat_tokens(messages) == plain + 2 * (3 + 1) + 3


WORDS = 'plans 中文 reports 😀 <|endoftext|> "quoted" v2.10 naïve it\'s FarmAgent\n\t{}'.split(" ")


def test_counts_of_a_prompt_of_60_000_tokens(independent):
    cards = [
        Candidate("", f"Agent {i}", " ".join(WORDS[(i + j) % len(WORDS)] for j in range(18)))
        for i in range(1000)
    ]
    system, user = messages_for("find 中文 farms 😀 <|endoftext|>", cards)
    plain = plain_count(independent, system["content"]) + plain_count(independent, user["content"])
    assert chat_tokens([system, user]) == plain + 11
    assert plain > 60_000


@pytest.mark.parametrize("unit", ["word ", "中文😀", "ab1", "a\n{", "1,", "  \n"])
def test_counts_beyond_the_encoders_limits(independent, unit):
    text = unit * (1_200_000 // len(unit))
    parts = plain_count(independent, unit * 20_000)
    assert count(text) == pytest.approx(parts * len(text) / len(unit * 20_000), rel=1e-3)


def test_long_text_of_words_is_exact(independent):
    text = "The farmer's soil  report, " * 40_000
    assert count(text) == plain_count(independent, text)


def test_estimate_is_a_token_for_four_characters_and_at_least_one():
    assert [estimated_tokens(n) for n in (0, 3, 4, 7, 8)] == [1, 1, 1, 1, 2]


def test_cost_is_per_million_tokens():
    assert cost_usd(63_645, 7, 0.15, 0.60) == pytest.approx(0.009551, abs=5e-7)
    assert cost_usd(767, 7, 0.15, 0.60) == pytest.approx(0.000119, abs=5e-7)


def test_models_counted_with_o200k():
    for model in ("gpt-4o-mini", "gpt-4o-mini-2024-07-18", "gpt-4.1", "gpt-5", OFFLINE_MODEL):
        assert uses_o200k(model)
    for model in ("gpt-4", "gpt-4-turbo", "gpt-4ox", "llama-3", "my-gpt-4o"):
        assert not uses_o200k(model)


@given(hard_text)
def test_no_count_passes_the_greatest(text):
    messages = [{"role": "user", "content": text}]
    for model in ("gpt-4o-mini", "llama"):
        assert chat_tokens(messages) <= greatest_tokens(messages, model)
