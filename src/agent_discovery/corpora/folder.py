"""`files:DIR`: a user's own registry of A2A Agent Cards, MCP manifests and card lines."""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent_discovery.cards import Card
from agent_discovery.corpora.agents import (
    GRAPH,
    Agent,
    Level,
    agent_card,
    graph_cards,
    tool_cards,
)
from agent_discovery.corpora.corpus import Corpus
from agent_discovery.corpora.manifests import entries, read_entry
from agent_discovery.corpora.readers import (
    json_lines,
    parse_json,
    read_qrels,
    read_queries,
    read_text,
)
from agent_discovery.errors import InputError
from agent_discovery.files import sha256_of

QUERIES = "queries.jsonl"
QRELS = "qrels.tsv"
CARD_SUFFIXES = {".json", ".jsonl"}


def registry_files(path: Path) -> list[Path]:
    """The files that make up the registry at `path` (a folder or one file), in a fixed order."""
    if os.path.isfile(path):
        root, found = path.parent, [path]
    elif os.path.isdir(path):
        root, found = path, [file for file in _walked(path) if _is_ours(file, path)]
    else:
        raise InputError(
            f"files:{path}: there is no such folder or file: give your registry's path"
        )
    if not any(_holds_cards(file, root) for file in found):
        raise InputError(f"files:{path}: no cards here: put *.json or *.jsonl card files into it")
    for file in found:
        _check_file(file, root)
    return sorted(found, key=lambda file: file.relative_to(root).as_posix())


def _walked(root: Path) -> Iterator[Path]:
    """Every file below `root`; a folder that cannot be listed is not passed over."""

    def refuse(error: OSError) -> None:
        raise InputError(f"{error.filename}: cannot be read ({error.strerror})")

    for folder, folders, names in os.walk(root, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(folder, name) for name in names)


def _check_file(file: Path, root: Path) -> None:
    """Refuse a dead link or device, a name that no output could hold, and misplaced queries."""
    if file.name in (QUERIES, QRELS) and file.parent != root:
        raise InputError(
            f"{file}: queries and judgments belong at the top of the registry: move it there"
        )
    if not os.path.isfile(file):
        raise InputError(f"{file}: cannot be read (no regular file): mend or remove it")
    try:
        str(file).encode()
    except UnicodeEncodeError:
        raise InputError(f"{file}: the file's name is not UTF-8: rename it") from None


def _is_ours(file: Path, root: Path) -> bool:
    hidden = any(part.startswith(".") for part in file.relative_to(root).parts)
    return not hidden and (file.suffix.lower() in CARD_SUFFIXES or file.name == QRELS)


def _holds_cards(file: Path, root: Path) -> bool:
    return file.suffix.lower() in CARD_SUFFIXES and file != root / QUERIES


def load_folder(path: Path, level: Level) -> Corpus:
    """Read a registry from files; queries.jsonl and qrels.tsv at its top are optional."""
    spec = f"files:{path}"
    files = registry_files(path)
    root = path if path.is_dir() else path.parent
    cards = sorted(_cards(files, root, level), key=lambda card: card.id)
    queries, qrels = root / QUERIES, root / QRELS
    return Corpus(
        spec=spec,
        cards=cards,
        queries=read_queries(queries, "files") if queries in files else [],
        qrels=read_qrels(qrels) if qrels in files else [],
        total=len(cards),
        checksums={file.relative_to(root).as_posix(): sha256_of(file) for file in files},
    )


def _cards(files: list[Path], root: Path, level: Level) -> Iterator[Card]:
    places: dict[str, str] = {}
    contents: dict[str, str] = {}
    for where, entry_id, entry in _entries(files, root):
        _refuse_repeated(contents, _digest(entry), where, "the same card")
        for card in _cards_of(entry, where, entry_id, level):
            _refuse_repeated(places, card.id, where, f"id {card.id!r}")
            yield card


def _cards_of(entry: Any, where: str, entry_id: str, level: Level) -> list[Card]:
    try:
        return list(_at_level(read_entry(entry, entry_id, "files"), level))
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _entries(files: list[Path], root: Path) -> Iterator[tuple[str, str, Any]]:
    """Each entry of each JSON value with its place and the id that it takes if it has none."""
    for place, default_id, value in _values(files, root):
        found = entries(value, default_id)
        for number, (entry_id, entry) in enumerate(found, start=1):
            yield place if len(found) == 1 else f"{place}, entry {number}", entry_id, entry


def _values(files: list[Path], root: Path) -> Iterator[tuple[str, str, Any]]:
    """Each JSON value with its place and the id that its card takes if it has none."""
    for file in (file for file in files if _holds_cards(file, root)):
        stem = file.relative_to(root).with_suffix("").as_posix()
        if file.suffix.lower() == ".json":
            yield str(file), stem, parse_json(read_text(file), str(file))
            continue
        for where, value in json_lines(file):
            yield where, f"{stem}:{where.rsplit(':', 1)[1]}", value


def _at_level(item: Agent | Card, level: Level) -> Iterator[Card]:
    if isinstance(item, Card):
        yield item
    elif level == "agent" or (level == "auto" and item.member == "skills"):
        yield agent_card(item, "files")
    elif level == GRAPH:
        yield from graph_cards(item, "files")
    else:
        yield from tool_cards(item, "files")


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _refuse_repeated(places: dict[str, str], key: str, where: str, what: str) -> None:
    if key in places:
        raise InputError(f"{where}: {what} is already in {places[key]}: keep one of them")
    places[key] = where
