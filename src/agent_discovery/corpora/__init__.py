"""Where cards, queries and judgments come from."""

import hashlib
import re
from pathlib import Path

from agent_discovery.config import CardLevel
from agent_discovery.corpora.bundled import bundled_names, load_bundled
from agent_discovery.corpora.corpus import Corpus
from agent_discovery.errors import InputError

IRDS = "irds:"
FILES = "files:"
DIGEST_CHARACTERS = 8


def check_spec(spec: str) -> None:
    """Refuse a corpus that is neither bundled nor `irds:ID` nor `files:DIR`."""
    known = spec in bundled_names() or any(
        spec.startswith(scheme) and spec != scheme for scheme in (IRDS, FILES)
    )
    if not known:
        raise InputError(
            f"corpus {spec!r} is not known: use one of {', '.join(bundled_names())}, irds:ID "
            "(ir_datasets) or files:DIR (your own registry)"
        )


def load_corpus(spec: str, level: CardLevel = "auto") -> Corpus:
    """Load the corpus that `spec` names; `level` says what becomes a card (config.card_level)."""
    check_spec(spec)
    if spec.startswith(IRDS):
        from agent_discovery.corpora.irds import load_irds

        return load_irds(spec.removeprefix(IRDS))
    if spec.startswith(FILES):
        from agent_discovery.corpora.folder import load_folder

        return load_folder(Path(spec.removeprefix(FILES)), level)
    return load_bundled(spec, level)


def slug(spec: str) -> str:
    """A file name for a corpus: its own where that is safe, else made safe, with a digest.

    The digest keeps apart specs that would look the same.
    """
    spec = spec.rstrip("/") if spec.startswith(FILES) else spec
    safe = re.sub(r"[^A-Za-z0-9]+", "-", spec).strip("-")
    if spec in bundled_names() or spec.startswith(IRDS):
        return spec if spec in bundled_names() else safe
    digest = hashlib.sha256(spec.encode()).hexdigest()[:DIGEST_CHARACTERS]
    return f"{safe[:60]}-{digest}"
