"""`files:DIR`: a user's own registry of A2A Agent Cards, MCP manifests and card lines."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from agent_discovery.corpora.agents import Level
from agent_discovery.corpora.corpus import Corpus
from agent_discovery.corpora.entries import Value, cards_of
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
    """Every file below `root`; a folder that cannot be listed, or is a link, is not passed over.

    A linked folder is refused, not followed: it may lead out of the registry, or back into it.
    """

    def refuse(error: OSError) -> None:
        raise InputError(f"{error.filename}: cannot be read ({error.strerror})")

    for folder, folders, names in os.walk(root, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for linked in filter(os.path.islink, (os.path.join(folder, name) for name in folders)):
            raise InputError(
                f"{linked}: is a link to a folder, which is not followed: put the folder itself "
                "there, or remove the link"
            )
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
        why = "the file's name is not UTF-8: rename it"
        if sys.getfilesystemencoding() != "utf-8":  # then no name beyond ASCII can be told
            why = "the file's name needs a UTF-8 locale: set PYTHONUTF8=1, then run it again"
        raise InputError(f"{file}: {why}") from None


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
    cards = sorted(cards_of(_values(files, root), level), key=lambda card: card.id)
    queries, qrels = root / QUERIES, root / QRELS
    return Corpus(
        spec=spec,
        cards=cards,
        queries=read_queries(queries, "files") if queries in files else [],
        qrels=read_qrels(qrels) if qrels in files else [],
        total=len(cards),
        checksums={file.relative_to(root).as_posix(): sha256_of(file) for file in files},
    )


def _values(files: list[Path], root: Path) -> Iterator[Value]:
    """Each JSON value with its place and the id that its card takes if it has none."""
    for file in (file for file in files if _holds_cards(file, root)):
        stem = file.relative_to(root).with_suffix("").as_posix()
        if file.suffix.lower() == ".json":
            yield str(file), stem, parse_json(read_text(file), str(file))
            continue
        for where, value in json_lines(file):
            yield where, f"{stem}:{where.rsplit(':', 1)[1]}", value
