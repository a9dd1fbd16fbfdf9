"""What a bundled set has for Agent-as-a-Graph beyond cards, questions and agent labels.

Labels of other kinds: `lenient` and `strict` agents, `tools`, and `used`, the agents that a real
model called. Requests: what that model asked of its retriever (data/livemcpbench/SOURCE.md).
"""

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from agent_discovery.cards import Judgment
from agent_discovery.corpora.bundled import checked_file, data_root
from agent_discovery.corpora.readers import json_lines, read_qrels, read_text
from agent_discovery.files import rows_table

PRIMARY, TOOLS, USED = "primary", "tools", "used"
TOOL_LABELS = "qrels_tools.tsv"
REQUESTS = "route_queries.jsonl"
CALLS = "executed_tools.tsv"

LABELS_SCHEMA = pa.schema(
    [("labels", pa.string()), ("qid", pa.string()), ("id", pa.string()), ("grade", pa.int32())]
)
REQUESTS_SCHEMA = pa.schema(
    [
        ("qid", pa.string()),
        ("position", pa.int32()),
        ("server", pa.string()),
        ("tool", pa.string()),
    ]
)


class Request(NamedTuple):
    """A request that a model wrote for a retriever: the server and the tool that it wants."""

    qid: str
    position: int
    server: str
    tool: str


def _used(path: Path, prefix: str) -> list[Judgment]:
    """The agents of the registry that were called, as judgments."""
    rows = csv.DictReader(io.StringIO(read_text(path), newline=""), delimiter="\t")
    pairs = dict.fromkeys((row["qid"], row["server"]) for row in rows if row["in_registry"] == "1")
    return [Judgment(f"{prefix}{qid}", f"{prefix}{server}", 1) for qid, server in pairs]


LABEL_FILES: dict[str, tuple[str, Callable[[Path, str], list[Judgment]]]] = {
    "lenient": ("qrels.lenient.tsv", read_qrels),
    "strict": ("qrels.strict.tsv", read_qrels),
    USED: (CALLS, _used),
    TOOLS: (TOOL_LABELS, read_qrels),
}


def graph_files(spec: str) -> list[str]:
    """The files below data/ that hold these for a corpus; none for one that does not ship."""
    names = [*(name for name, _ in LABEL_FILES.values()), REQUESTS]
    root = data_root()
    return [f"{spec}/{name}" for name in names if (root / spec / name).is_file()]


def other_labels(spec: str) -> pa.Table:
    """`LABELS_SCHEMA`: every kind of labels that the set has beside its primary ones."""
    root, rows = data_root(), []
    for labels, (name, read) in LABEL_FILES.items():
        if f"{spec}/{name}" in graph_files(spec):
            checked_file(root, f"{spec}/{name}")
            rows += [(labels, *judged) for judged in read(root / spec / name, f"{spec}/")]
    return rows_table(rows, LABELS_SCHEMA)


def route_requests(spec: str) -> pa.Table:
    """`REQUESTS_SCHEMA`: the requests of each query in order; none where there are no such."""
    return rows_table(_requests(spec), REQUESTS_SCHEMA)


def _requests(spec: str) -> Iterator[Request]:
    root, file = data_root(), f"{spec}/{REQUESTS}"
    if file not in graph_files(spec):
        return
    checked_file(root, file)
    for _, row in json_lines(root / file):
        yield Request(f"{spec}/{row['qid']}", row["position"], row["server"], row["tool"])
