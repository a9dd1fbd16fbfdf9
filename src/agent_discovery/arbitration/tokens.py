"""Tokens and cost: exact o200k counts by the provider's chat formula, and a marked estimate.

Special tokens (`<|endoftext|>`) that stand in a text are counted as the plain text that a provider
takes them for.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache

import bpe_openai

ENCODING = "o200k_base"
TOKENS_A_MESSAGE = 3
TOKENS_BEFORE_A_REPLY = 3
CHARACTERS_A_TOKEN = 4
TOKENS_A_PRICE = 1_000_000
TEMPLATE_ALLOWANCE = 64  # tokens that a chat template may add to a message
O200K_MODELS = re.compile(r"(gpt-4o|gpt-4\.1|gpt-5|o[134]|offline-arbiter)\b.*")

CACHED_PIECES = 1 << 17
CACHED_CHARACTERS = 1 << 13
# The encoder refuses texts of a million characters and answers of 200,000 tokens.
PIECE_CHARACTERS = 100_000

_WORD_END = re.compile(r"(?<=\S)(?= )")


def count(text: str) -> int:
    """The number of o200k tokens of a text of any length, exactly.

    Counts add up where o200k's own pre-tokenisation must cut, so the text is cut there first and
    the counts of pieces are remembered: candidate lines recur in prompt after prompt.
    """
    return sum(map(_count_piece, _pieces(text)))


def _pieces(text: str) -> Iterator[str]:
    """Cut where no pre-token can reach across: after a line end, and after an index.

    A line end followed by "{" ends its pre-token: only the white space and punctuation branches
    hold line ends, and neither goes on with "{". A digit followed by "," ends its pre-token, as
    digits form pre-tokens of their own.
    """
    lines = text.split("\n{")
    last = len(lines) - 1
    for number, line in enumerate(lines):
        if number:
            line = "{" + line
        if number < last:
            line += "\n"
        head, comma, tail = line.partition(",")
        if comma and head[-1:].isdecimal():
            yield head
            yield comma + tail
        else:
            yield line


def _count_piece(piece: str) -> int:
    if len(piece) <= CACHED_CHARACTERS:
        return _count_cached(piece)
    if len(piece) <= PIECE_CHARACTERS:
        return _count_plain(piece)
    return sum(map(_count_plain, _shorter(piece)))


def _shorter(piece: str) -> Iterator[str]:
    """Cut before blanks that follow a character: a blank only ever begins a pre-token there.

    A single word beyond the encoder's limit is cut by force; its count may be a few tokens high.
    """
    parts: list[str] = []
    size = 0
    for word in _WORD_END.split(piece):
        if size + len(word) > PIECE_CHARACTERS and parts:
            yield "".join(parts)
            parts, size = [], 0
        while len(word) > PIECE_CHARACTERS:
            yield word[:PIECE_CHARACTERS]
            word = word[PIECE_CHARACTERS:]
        parts.append(word)
        size += len(word)
    yield "".join(parts)


@cache
def _encoding() -> bpe_openai.Encoding:
    return bpe_openai.get_encoding(ENCODING)


def _count_plain(piece: str) -> int:
    return len(_encoding().encode_ordinary(piece))


_count_cached = lru_cache(maxsize=CACHED_PIECES)(_count_plain)


def chat_tokens(messages: Iterable[Mapping[str, str]]) -> int:
    """The input tokens that a provider reports for chat messages (role and content)."""
    return TOKENS_BEFORE_A_REPLY + sum(
        TOKENS_A_MESSAGE + count(message["role"]) + count(message["content"])
        for message in messages
    )


def characters(messages: Iterable[Mapping[str, str]]) -> int:
    """The characters of the contents of chat messages."""
    return sum(len(message["content"]) for message in messages)


def estimated_tokens(number_of_characters: int) -> int:
    """The estimate where no provider reported usage: a token for four characters, at least 1."""
    return max(1, number_of_characters // CHARACTERS_A_TOKEN)


def greatest_tokens(messages: Iterable[Mapping[str, str]], model: str) -> int:
    """Input tokens that no count by `model` can pass: exact for o200k models, else a token a byte.

    A byte-level vocabulary needs a token a byte at most; roles and templates get an allowance.
    """
    messages = list(messages)
    if uses_o200k(model):
        return chat_tokens(messages) + TEMPLATE_ALLOWANCE
    size = sum(len(message["content"].encode("utf-8", "replace")) for message in messages)
    return size + len(messages) * TEMPLATE_ALLOWANCE


def uses_o200k(model: str) -> bool:
    """Whether `model` is known to be counted with o200k (also under a dated name)."""
    return O200K_MODELS.fullmatch(model) is not None


def cost_usd(tokens_in: int, tokens_out: int, input_price: float, output_price: float) -> float:
    """US dollars; prices are US dollars per million tokens."""
    return (tokens_in * input_price + tokens_out * output_price) / TOKENS_A_PRICE
