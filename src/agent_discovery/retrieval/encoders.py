"""Where missing vectors come from: a sentence-transformers model on this machine, or a server.

The models run as published, in fp32, and their weights must have the checksum pinned here. Nothing
is ever downloaded from here.
"""

import hashlib
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from agent_discovery.config import Graph
from agent_discovery.errors import InputError
from agent_discovery.files import sha256_of
from agent_discovery.retrieval.embeddings import (
    Encode,
    Vectors,
    dimensions_of,
    made,
    missing_line,
)

WEIGHTS = "model.safetensors"
PACKAGE = "sentence_transformers"
MADE_WITH = ("sentence-transformers", "transformers", "tokenizers", "torch")


class LocalModel(NamedTuple):
    """A model whose weights are pinned."""

    weights_sha256: str
    dimensions: int
    longest: int  # tokens of a text that it reads


LOCAL_MODELS: Mapping[str, LocalModel] = {
    "all-MiniLM-L6-v2": LocalModel(
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db", 384, 256
    ),
    "all-mpnet-base-v2": LocalModel(
        "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658", 768, 384
    ),
}


def complete(
    encoder: str, texts: Sequence[str], found: Vectors, config: Graph, kept: Path
) -> Vectors:
    """`found` with the vectors of all other texts, made and kept in the folder `kept`.

    Raises InputError, one line that says what to install or to set, when nothing can make them;
    and where dimensions differ.
    """
    dimensions = dimensions_of(found, kept)
    missing = sorted(set(texts) - found.keys())
    if not missing:
        return found
    if config.base_url is not None:
        from agent_discovery.retrieval.embedding_server import server_encoder

        return found | made(missing, server_encoder(encoder, config), kept, dimensions)
    if encoder not in LOCAL_MODELS:
        why = "no server to ask: set graph.base_url to one that serves it (config/README.md)"
        raise InputError(missing_line(encoder, missing, why))
    encode = local_or_told(encoder, missing, Path(config.models))
    return found | made(missing, encode, kept, dimensions)


def local_or_told(encoder: str, missing: Sequence[str], models: Path) -> Encode:
    """The pinned model below `models`, or an InputError that says what to install."""
    folder = models / encoder
    if find_spec(PACKAGE) is None or not (folder / WEIGHTS).is_file():
        why = (
            f"none can be made: install the `dense` extra and put the model into {folder} (README, "
            "`Agent-as-a-Graph`), or set graph.base_url to a server"
        )
        raise InputError(missing_line(encoder, missing, why))
    return local_encoder(encoder, folder)


def local_encoder(encoder: str, folder: Path) -> Encode:
    """A pinned model, loaded from a folder in sentence-transformers' form; needs `dense`."""
    pinned = LOCAL_MODELS[encoder]
    found = sha256_of(folder / WEIGHTS)
    if found != pinned.weights_sha256:
        raise InputError(
            f"{folder / WEIGHTS}: wrong checksum {found[:12]}…, expected "
            f"{pinned.weights_sha256[:12]}…: these are not the weights of {encoder}"
        )
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    model.max_seq_length = pinned.longest

    def encode(texts: Sequence[str]) -> np.ndarray:
        return model.encode(list(texts), batch_size=len(texts), show_progress_bar=False)

    return encode


def about(encoder: str) -> dict:
    """What recorded vectors were made with, as the manifest says it."""
    pinned = LOCAL_MODELS[encoder]
    return {
        "weights_sha256": pinned.weights_sha256,
        "dimensions": pinned.dimensions,
        "longest_tokens": pinned.longest,
        "made_with": {name: _version(name) for name in MADE_WITH},
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def described(encoder: str, vectors: Vectors) -> dict:
    """A set of vectors, for provenance: the encoder, its weights if pinned, and a digest."""
    digest = hashlib.sha256()
    for text in sorted(vectors):
        digest.update(text.encode() + b"\0" + np.asarray(vectors[text], np.float32).tobytes())
    pinned = LOCAL_MODELS.get(encoder)
    return {
        "encoder": encoder,
        "texts": len(vectors),
        "vectors_sha256": digest.hexdigest(),
        "weights_sha256": pinned.weights_sha256 if pinned else None,
    }
