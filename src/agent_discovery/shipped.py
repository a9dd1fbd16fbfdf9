"""Files that ship with a manifest of their checksums: a changed one is refused when it is read.

Make the manifests of published figures and recorded answers anew, after an intended change:
`python -m agent_discovery.shipped`. That of data/ has a maker of its own.
"""

import csv
import hashlib
import io
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from agent_discovery.errors import InputError
from agent_discovery.files import write_text

MANIFEST = "manifest.csv"
# What ships, and below which folder its manifest stands.
SHIPPED = {"expected": "*.yaml", "recordings/llm": "*.jsonl"}
GROWS = ".jsonl"  # a ledger: the answers of a user's own runs may follow those that ship


class Checksum(NamedTuple):
    """A file as it ships."""

    bytes: int
    sha256: str


@cache
def checksums(root: Path) -> Mapping[str, Checksum]:
    """The files that the manifest in a folder names; InputError where it is none."""
    path = root / MANIFEST
    try:
        rows = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline=""))
        found = {row["path"]: Checksum(int(row["bytes"]), row["sha256"]) for row in rows}
    except (OSError, ValueError, KeyError, TypeError, csv.Error):
        found = {}
    if not found:
        raise InputError(f"{path}: not a manifest of shipped files: restore it (git checkout)")
    return found


def check_shipped(path: Path, content: bytes) -> None:
    """Refuse the content of a file that ships, if it is not what ships; any other file passes."""
    if not (path.parent / MANIFEST).is_file():
        return
    expected = checksums(path.parent.resolve()).get(path.name)
    if expected is None:
        return
    part = content[: expected.bytes] if path.suffix == GROWS else content
    if hashlib.sha256(part).hexdigest() != expected.sha256:
        raise InputError(
            f"{path}: wrong checksum: restore it (git checkout {path.parent.name}), or if the "
            "change is intended run python -m agent_discovery.shipped"
        )


def manifest_text(folder: Path, pattern: str) -> str:
    """The manifest of a folder's files: path, bytes, sha256."""
    rows = ["path,bytes,sha256"]
    for file in sorted(folder.glob(pattern)):
        content = file.read_bytes()
        rows.append(f"{file.name},{len(content)},{hashlib.sha256(content).hexdigest()}")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    for name, shipped_files in SHIPPED.items():
        write_text(Path(name, MANIFEST), manifest_text(Path(name), shipped_files))
