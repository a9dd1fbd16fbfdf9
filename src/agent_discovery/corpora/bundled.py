"""The sets that ship in data/, and `toolpool`, all of them as one registry."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from agent_discovery.cards import Card, kept_fields
from agent_discovery.corpora.agents import (
    GRAPH,
    Agent,
    Level,
    Tool,
    agent_card,
    graph_cards,
    tool_cards,
)
from agent_discovery.corpora.corpus import Corpus
from agent_discovery.corpora.manifests import read_manifest
from agent_discovery.corpora.readers import json_lines, read_qrels, read_queries
from agent_discovery.errors import InputError
from agent_discovery.files import sha256_of
from agent_discovery.shipped import checksums

DATA_VARIABLE = "AGENT_DISCOVERY_DATA"
TOOLPOOL = "toolpool"
AGENTS = "agents.jsonl"
DOCS = "docs.jsonl"
QUERIES = "queries.jsonl"

UNJUDGED_NOTE = (
    "a query is judged within its own source set only, so an unjudged card may be fit as well"
)


@dataclass(frozen=True)
class BundledSet:
    """One set: its card file, and whether it has queries and judgments at tool level."""

    name: str
    cards: str
    queries: bool = True
    tool_qrels: bool = False

    def qrels(self, level: Level) -> str:
        """The judgments that fit cards of this level."""
        tools = self.tool_qrels and level not in ("agent", GRAPH)
        return "qrels_tools.tsv" if tools else "qrels.tsv"

    def files(self, level: Level) -> list[str]:
        """The files that a load at this level reads, relative to data/."""
        names = [self.cards, *([QUERIES, self.qrels(level)] if self.queries else [])]
        return [f"{self.name}/{name}" for name in names]


BUNDLED = (
    BundledSet("livemcpbench", AGENTS, tool_qrels=True),
    BundledSet("stabletoolbench", AGENTS, tool_qrels=True),
    BundledSet("toolalpaca", AGENTS, tool_qrels=True),
    BundledSet("mcpproxy_golden", AGENTS, tool_qrels=True),
    BundledSet("docker_mcp_registry", AGENTS, queries=False),
    BundledSet("a2a_cards", AGENTS, queries=False),
    BundledSet("mcp_registry_seed", AGENTS, queries=False),
    BundledSet("metatool_toole", DOCS),
    BundledSet("bfcl_pooled", DOCS),
    BundledSet("apibench", DOCS),
)


def bundled_names() -> list[str]:
    """The corpora that ship: `toolpool` and each set."""
    return [TOOLPOOL, *(bundled.name for bundled in BUNDLED)]


def bundled_sets(name: str) -> list[BundledSet]:
    """The sets that make up a bundled corpus."""
    return [bundled for bundled in BUNDLED if name in (TOOLPOOL, bundled.name)]


def bundled_files(name: str, level: Level) -> list[str]:
    """The files under data/ that make up a bundled corpus."""
    return [file for bundled in bundled_sets(name) for file in bundled.files(level)]


def data_root() -> Path:
    """The folder of the bundled sets: the checkout's data/, or what the environment names."""
    root = Path(os.environ.get(DATA_VARIABLE) or Path(__file__).parents[3] / "data")
    if not (root / "manifest.csv").is_file():
        raise InputError(
            f"{root}: the bundled sets are not here: install from a checkout (pip install -e .) "
            f"or set {DATA_VARIABLE} to its data folder"
        )
    return root


def load_bundled(name: str, level: Level) -> Corpus:
    """Load a bundled corpus; every file is compared with its checksum first.

    Cards are sorted by id; queries and judgments keep the order of the sets and their files.
    """
    sets = bundled_sets(name)
    root = data_root()
    checksums = {file: checked_file(root, file) for file in bundled_files(name, level)}
    corpus = Corpus(spec=name, cards=[], checksums=checksums, notes=[UNJUDGED_NOTE])
    for bundled in sets:
        corpus.cards += _cards(root / bundled.name / bundled.cards, bundled, level)
        if bundled.queries:
            prefix = f"{bundled.name}/"
            folder = root / bundled.name
            corpus.queries += read_queries(folder / QUERIES, bundled.name, prefix)
            corpus.qrels += read_qrels(folder / bundled.qrels(level), prefix)
    corpus.cards.sort(key=lambda card: card.id)
    corpus.total = len(corpus.cards)
    return corpus


def checked_file(root: Path, file: str) -> str:
    """The checksum of a bundled file, which must be the manifest's."""
    named = checksums(root).get(file)
    if named is None or not (root / file).is_file():
        raise InputError(
            f"{root / file}: a bundled file is missing: restore it (git checkout data)"
        )
    found = sha256_of(root / file)
    if found != named.sha256:
        raise InputError(
            f"{root / file}: wrong checksum {found[:12]}…, expected {named.sha256[:12]}…: "
            "restore it (git checkout data), or use your own registry as files:DIR"
        )
    return found


def _cards(path: Path, bundled: BundledSet, level: Level) -> Iterator[Card]:
    prefix = f"{bundled.name}/"
    for _, row in json_lines(path):
        if bundled.cards == DOCS:
            fields = kept_fields([("name", row["name"]), ("description", row["description"])])
            card_id = f"{prefix}{row['id']}"
            yield Card(card_id, row["name"], row["description"], fields, None, "tool", bundled.name)
        elif level == "agent":
            yield agent_card(_agent(row, prefix, whole=True), bundled.name)
        elif level == GRAPH:
            yield from graph_cards(_agent(row, prefix, whole=True), bundled.name)
        elif row["tools"] or row["description"]:
            yield from tool_cards(_agent(row, prefix, whole=False), bundled.name)


def _agent(row: dict, prefix: str, whole: bool) -> Agent:
    """A row's agent: whole, with its tags or its Agent Card, or names and descriptions only."""
    agent_id = f"{prefix}{row['id']}"
    if whole and "card" in row:
        return replace(next(read_manifest(row, agent_id, "")), id=agent_id)
    tools = tuple(Tool(tool["name"], tool["description"]) for tool in row["tools"])
    tags = tuple(row.get("tags") or ()) if whole else ()
    return Agent(agent_id, row["name"], row["description"], tags, tools)
