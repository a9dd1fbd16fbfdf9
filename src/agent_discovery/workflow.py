"""What the Snakefile and its scripts share: configuration, code digests, provenance."""

import hashlib
import json
import platform
import re
import sqlite3
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from agent_discovery.config import Config, read_config
from agent_discovery.corpora import FILES, IRDS, check_spec, slug
from agent_discovery.corpora.agentbench import GENERATED, generated_files
from agent_discovery.corpora.agents import GRAPH, Level
from agent_discovery.corpora.bundled import bundled_files, bundled_names, data_root
from agent_discovery.corpora.corpus import label_of
from agent_discovery.corpora.folder import registry_files
from agent_discovery.errors import EXIT_INPUT_ERROR, InputError, one_line_errors
from agent_discovery.retrieval.embeddings import folder_of, recorded_for
from agent_discovery.retrieval.encoders import LOCAL_MODELS

PACKAGE = Path(__file__).parent
LIVEMCPBENCH = "livemcpbench"
RECORDINGS = "recordings/embeddings"
PROVENANCE_PACKAGES = (
    "agent-discovery",
    "bpe-openai",
    "ir_datasets",
    "ir_measures",
    "numba",
    "numpy",
    "openai",
    "pandas",
    "pyarrow",
    "scipy",
    "snakemake",
    "statsmodels",
)
DIGEST_CHARACTERS = 16
# What Snakemake expands in an input file's name (wildcards, and its pathvars), and what would steer
# the terminal that it prints the name to.
NO_INPUT = re.compile("[{}]|<[a-z][a-z0-9_]*>|[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def configured(values: Mapping[str, Any]) -> Config:
    """The checked configuration; a fault ends the program with one line and exit code 2."""
    with one_line_errors():
        config = read_config(values)
        check_spec(config.corpus)
        corpus_files(config.corpus, config.card_level)
        check_spec(graph_spec(config))
        corpus_files(graph_spec(config), GRAPH)
        graph_encoders(graph_spec(config), config)
        return config


def corpus_files(spec: str, level: Level) -> list[str]:
    """The files that a corpus is read from, so that a change of one makes the corpus anew."""
    if spec in bundled_names():
        return data_files(["manifest.csv", *bundled_files(spec, level)])
    if spec in GENERATED:
        return generated_files()
    if spec.startswith(FILES):
        return as_inputs(str(file) for file in registry_files(Path(spec.removeprefix(FILES))))
    from agent_discovery.corpora.irds import marks  # ir_datasets takes long to import

    return marks(spec.removeprefix(IRDS))


def data_files(files: Iterable[str]) -> list[str]:
    """Paths of files below data/, relative where they lie below the working directory."""
    root = data_root()
    if root.is_relative_to(Path.cwd()):
        root = root.relative_to(Path.cwd())
    return as_inputs(str(root / file) for file in files)


def as_inputs(paths: Iterable[str]) -> list[str]:
    """Paths that Snakemake takes as they are, and may print."""
    found = list(paths)
    for path in found:
        if NO_INPUT.search(path):
            raise InputError(
                f"{path}: braces, lower-case words in angle brackets (Snakemake's own variables) "
                "and control characters cannot stand in a name: rename the file or folder"
            )
    return found


def graph_spec(config: Config) -> str:
    """The corpus of Agent-as-a-Graph (graph.corpus)."""
    default = Config.model_fields["corpus"].default
    return config.graph.corpus or (LIVEMCPBENCH if config.corpus == default else config.corpus)


def graph_encoders(spec: str, config: Config) -> list[str]:
    """The encoders that a corpus is embedded by (graph.encoders)."""
    recorded = recorded_for(Path(RECORDINGS), slug(spec))
    return list(config.graph.encoders or recorded or list(LOCAL_MODELS)[:1])


def by_encoder(pattern: str, encoders: Mapping[str, list[str]]) -> Callable[[Any], list[str]]:
    """The files of each of a corpus's encoders, in order. encoders: by corpus."""
    return lambda wildcards: [
        pattern.format(corpus=wildcards.corpus, encoder=folder_of(encoder))
        for encoder in encoders[wildcards.corpus]
    ]


def ledger_path(rq: str, corpus: str, config: Config) -> str:
    """Where the calls of a research question on a corpus are recorded."""
    own = f"results/{config.profile}/{rq}/{corpus}/measured/ledger.jsonl"
    return config.llm.ledger or own


def corpus_label(about: str | Path) -> str:
    """What tables call the corpus of a corpus.json."""
    return label_of(json.loads(Path(about).read_text(encoding="utf-8")))


def arbiter_label(facts: str | Path) -> str:
    """What tables call the arbiter of an arbiter.json: its model, marked where it is a stand-in."""
    arbiter = json.loads(Path(facts).read_text(encoding="utf-8"))
    return arbiter["model"] + (" (stand-in)" if arbiter["stand_in"] else "")


def code_digest(*parts: str) -> str:
    """A digest of parts of the package (folders or files), for `params`.

    Snakemake reruns a rule when its params change, not when a module that it imports does.
    """
    digest = hashlib.sha256()
    for part in sorted(parts):
        path = PACKAGE / part
        for file in sorted(_sources(path)) if path.is_dir() else [path]:
            digest.update(file.relative_to(PACKAGE).as_posix().encode() + b"\0")
            digest.update(file.read_bytes())
    return digest.hexdigest()[:DIGEST_CHARACTERS]


def _sources(folder: Path) -> Iterator[Path]:
    """Code below a folder, and what a page is made from."""
    return (file for file in folder.rglob("*") if file.suffix in (".py", ".html", ".css", ".js"))


def failed_on_input(log: str | Path) -> bool:
    """Whether a Snakemake log tells of a job that ended on an input error."""
    text = Path(log).read_text(encoding="utf-8", errors="replace")
    return re.search(rf"returned non-zero exit status {EXIT_INPUT_ERROR}\b", text) is not None


def provenance(config: Config, corpus: Mapping[str, Any]) -> dict[str, Any]:
    """What a results folder was made from: configuration, data, software; no clock, no host.

    corpus: the content of corpus.json.
    """
    return {
        "config": config.model_dump(mode="json"),
        "corpus": dict(corpus),
        "git_revision": _git_revision(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "packages": {name: version(name) for name in PROVENANCE_PACKAGES},
    }


def _git_revision() -> str:
    """The checkout's commit, marked when files differ from it; "unknown" outside of git."""
    root = PACKAGE.parents[1]
    if not (root / ".git").exists():
        return "unknown"
    try:
        described = subprocess.run(
            ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40"],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return described.stdout.strip()
