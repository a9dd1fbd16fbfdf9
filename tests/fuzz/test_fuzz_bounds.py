"""Bounded time and memory: cards of 100 MB, JSON nested deep, and ids of any length."""

import json
import subprocess
import sys
import time

import pytest
from budget import FEW, INPUTS
from corpus_files import lay, refusal

from agent_discovery.corpora.corpus import write_corpus
from agent_discovery.corpora.folder import load_folder

# 100 MB with `make fuzz`, a tenth in every other run.
CARD_BYTES = 100_000_000 if INPUTS > FEW else 10_000_000
COMPILED_BYTES = 400 << 20  # what loading and compiling take, whatever the card
# Of address space, not only of what is used; libraries alone map some 4 GB.
MOST_BYTES = 8 << 30
# Measured: the text is there as bytes, as JSON, as a value, for its digest, and as tokens.
MOST_TIMES_THE_CARD = 25
SEARCH = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
from agent_discovery.registry import Registry
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before = peak()
hits = Registry.load(sys.argv[1]).search("rare")
print(len(hits), peak() - before)
"""


def test_a_huge_card_is_searched_in_bounded_memory(tmp_path):
    words = " ".join(f"word{number % 50_000}" for number in range(CARD_BYTES // 10))
    text = f"rare rare {words}"[:CARD_BYTES]
    lay(tmp_path, {"big.json": {"id": "big", "name": "Big", "description": text}})
    ended = subprocess.run(
        [sys.executable, "-c", SEARCH, str(tmp_path), str(MOST_BYTES)],
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr[-500:]
    hits, used = map(int, ended.stdout.split())
    assert hits in (0, 1)
    assert used < MOST_TIMES_THE_CARD * CARD_BYTES + COMPILED_BYTES


def nested(depth: int, opening: str = "[", closing: str = "]") -> str:
    return f'{{"id": "a", "name": "A", "x": {opening * depth}1{closing * depth}}}'


@pytest.mark.parametrize("pair", ["[]", ('{"a":', "}")])
@pytest.mark.parametrize("depth", [100_000, 1_000_000])
def test_json_nested_deep_is_refused_at_once(tmp_path, pair, depth):
    folder = lay(tmp_path, {"a.json": nested(depth, *pair)})
    begun = time.thread_time()
    assert "broken JSON (nested too deep)" in refusal(load_folder, folder, "auto")
    assert time.thread_time() - begun < 1


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_no_depth_is_too_deep_to_be_read_and_yet_too_deep_to_be_compared(tmp_path, opening):
    """What the parser takes is digested later, from another depth of the stack."""
    closing = "]" if opening == "[" else "}"
    for depth in range(600, 1000, 3):
        folder = lay(tmp_path / str(depth), {"a.json": nested(depth, opening, closing)})
        try:
            write_corpus(load_folder(folder, "auto"), folder / "out")
        except Exception as error:
            assert "nested too deep" in str(error)


LONG = "x" * 10_000
HOSTILE = [
    "../../escape",
    "/etc/passwd",
    "a\x00b",
    LONG,
    "\u202e\u2066fdp.exe",
    "\x1b[2J\x07",
    "a\r\nb",
]


def test_hostile_ids_write_nothing_outside_the_results(tmp_path):
    cards = [{"id": text, "name": "A", "description": "alpha"} for text in HOSTILE]
    queries = "".join(json.dumps({"id": f"{text}q", "text": "alpha"}) + "\n" for text in HOSTILE)
    lay(
        tmp_path / "in",
        {"cards.jsonl": "\n".join(map(json.dumps, cards)), "queries.jsonl": queries},
    )
    before = set(tmp_path.rglob("*"))
    write_corpus(load_folder(tmp_path / "in", "auto"), tmp_path / "results")
    new = {path.relative_to(tmp_path).as_posix() for path in set(tmp_path.rglob("*")) - before}
    assert new == {
        "results",
        *(f"results/{name}" for name in ("cards.parquet", "corpus.json")),
        *(f"results/{name}" for name in ("queries.parquet", "qrels.parquet")),
    }


def test_a_message_that_quotes_a_long_id_stays_short(tmp_path):
    cards = "".join(json.dumps({"id": LONG, "name": name}) + "\n" for name in "ab")
    message = refusal(load_folder, lay(tmp_path, {"a.jsonl": cards}), "auto")
    assert len(message) < 1010 and message.endswith("keep one of them")
