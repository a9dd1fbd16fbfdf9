"""Where cards, queries and judgments come from."""

import hashlib
import os
import re
from pathlib import Path

from agent_discovery.corpora.agentbench import GENERATED, SEED, load_agentbench
from agent_discovery.corpora.agents import Level
from agent_discovery.corpora.bundled import bundled_names, load_bundled
from agent_discovery.corpora.corpus import Corpus
from agent_discovery.errors import InputError

IRDS = "irds:"
FILES = "files:"
DIGEST_CHARACTERS = 8

# An id that reads back from its slug: "/" becomes "--", and "-" stands alone.
PLAIN_IRDS_ID = re.compile(r"[a-z0-9]+(?:[-/][a-z0-9]+)*")
SAFE_CHARACTERS = 60


def named_corpora() -> list[str]:
    """The corpora that have a name of their own: those that ship, and those that are generated."""
    return [*bundled_names(), *GENERATED]


def check_spec(spec: str) -> None:
    """Refuse a corpus that has neither a name of its own nor the form `irds:ID` or `files:DIR`."""
    known = spec in named_corpora() or any(
        spec.startswith(scheme) and spec != scheme for scheme in (IRDS, FILES)
    )
    if not known:
        raise InputError(
            f"corpus {spec!r} is not known: use one of {', '.join(named_corpora())}, irds:ID "
            "(ir_datasets) or files:DIR (your own registry)"
        )


def spec_of(registry: str) -> str:
    """The corpus that a path or a corpus's name stands for."""
    is_path = registry not in named_corpora() and os.path.exists(registry)
    return f"{FILES}{registry}" if is_path else registry


def load_corpus(spec: str, level: Level = "auto", seed: int = SEED) -> Corpus:
    """Load the corpus that `spec` names; `level` says what becomes a card: one of
    config.card_level, or `graph`, agents and their tools, both as cards.

    seed: of a generated corpus.
    """
    check_spec(spec)
    if spec.startswith(IRDS):
        return _load_irds(spec)
    if spec.startswith(FILES):
        from agent_discovery.corpora.folder import load_folder

        return load_folder(Path(spec.removeprefix(FILES)), level)
    if spec in GENERATED:
        return load_agentbench(spec, level, seed)
    return load_bundled(spec, level)


def _load_irds(spec: str) -> Corpus:
    """Load from ir_datasets, which makes its folders when it is imported."""
    try:
        from agent_discovery.corpora.irds import load_irds
    except OSError as error:
        raise InputError(
            f"{spec}: ir_datasets cannot make its folder {error.filename} ({error.strerror}): set "
            "IR_DATASETS_HOME to a folder that can be written"
        ) from None
    return load_irds(spec.removeprefix(IRDS))


def slug(spec: str) -> str:
    """A file name for a corpus: its own where that is safe, else made safe, with a digest.

    The digest keeps apart specs that would look the same.
    """
    if spec in named_corpora():
        return spec
    dataset_id = spec.removeprefix(IRDS)
    if spec != dataset_id and len(spec) < SAFE_CHARACTERS and PLAIN_IRDS_ID.fullmatch(dataset_id):
        return "irds-" + dataset_id.replace("/", "--")
    spec = spec.rstrip("/") if spec.startswith(FILES) else spec
    safe = re.sub(r"[^A-Za-z0-9]+", "-", spec).strip("-")
    digest = hashlib.sha256(spec.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{safe[:SAFE_CHARACTERS]}-{digest[:DIGEST_CHARACTERS]}"
