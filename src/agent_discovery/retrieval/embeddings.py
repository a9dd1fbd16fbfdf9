"""Vectors of texts by an embedding model: recorded ones, and making those that are missing.

A recorded vector is found by the model and the SHA-256 of exactly the text. Files are Parquet, a
row a text: `key` (the digest) and `vector` (float32). `recordings/embeddings/manifest.json` names
those that ship with their checksums; what is made is kept below the results, never made again.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from agent_discovery.corpora.readers import parse_json, read_text
from agent_discovery.errors import InputError
from agent_discovery.files import sha256_of, write_json, written_aside
from agent_discovery.reading import check_regular, whole_parquet

MANIFEST = "manifest.json"
SUFFIX = ".parquet"
FILE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}" + re.escape(SUFFIX))
FOLDER_NAME = re.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
KEY = pa.field("key", pa.binary(32))
SHOWN_CHARACTERS = 40
BATCH_TEXTS = 64

Vectors = dict[str, np.ndarray]
Encode = Callable[[Sequence[str]], np.ndarray]


def key_of(text: str) -> bytes:
    """What a text's vector is recorded under."""
    return hashlib.sha256(text.encode("utf-8")).digest()


def folder_of(encoder: str) -> str:
    """A folder name for an encoder: its own, where that is safe, else made safe with a digest."""
    if FOLDER_NAME.fullmatch(encoder):
        return encoder
    safe = re.sub(r"[^A-Za-z0-9_-]+", "-", encoder)[:90]
    digest = hashlib.sha256(encoder.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{safe}-{digest[:8]}"


def read_manifest(root: Path) -> Mapping[str, Any]:
    """Recorded encoders by name; none where nothing is recorded."""
    path = root / MANIFEST
    if not path.exists():
        return {}
    try:
        content = parse_json(read_text(path), str(path))
        whole = all(
            FILE_NAME.fullmatch(name) and isinstance(about["sha256"], str)
            for entry in content.values()
            for name, about in entry["files"].items()
        )
    except (InputError, TypeError, KeyError, AttributeError):
        whole = False
    if not whole:
        raise InputError(f"{path}: not the manifest of the recorded vectors: restore it")
    return content


def recorded_for(root: Path, corpus: str) -> list[str]:
    """The encoders whose vectors of a corpus are recorded, in the manifest's order."""
    files = read_manifest(root).items()
    return [encoder for encoder, entry in files if f"{corpus}{SUFFIX}" in entry["files"]]


def recorded_files(root: str | Path, encoder: str) -> list[Path]:
    """An encoder's recorded files, each compared with its checksum."""
    root = Path(root)
    files = read_manifest(root).get(encoder, {"files": {}})["files"]
    paths = []
    for name, about in sorted(files.items()):
        path = root / folder_of(encoder) / name
        if not path.is_file() or sha256_of(path) != about["sha256"]:
            raise InputError(
                f"{path}: recorded vectors are missing or have a wrong checksum: restore them "
                "(git checkout recordings)"
            )
        paths.append(path)
    return paths


def read_vectors(paths: Iterable[Path], texts: Iterable[str]) -> Vectors:
    """The vectors of those of `texts` that some file has."""
    wanted = {key_of(text): text for text in texts}
    found: Vectors = {}
    for path in paths:
        keys, matrix = _read(path)
        for key, vector in zip(keys, matrix, strict=True):
            if key in wanted:
                found[wanted[key]] = vector
    return found


def _read(path: Path) -> tuple[list[bytes], np.ndarray]:
    with whole_parquet(f"{path}: no whole file of vectors: delete it"):
        check_regular(path)
        table = pq.read_table(path)
        vectors = table["vector"].combine_chunks()
        matrix = vectors.flatten().to_numpy().reshape(len(table), vectors.type.list_size)
        return table["key"].to_pylist(), matrix


def write_vectors(path: Path, vectors: Mapping[str, np.ndarray]) -> None:
    """Write a file of vectors, sorted by key; the same vectors always give the same bytes."""
    rows = sorted((key_of(text), vector) for text, vector in vectors.items())
    matrix = np.array([vector for _, vector in rows], np.float32)
    values = pa.FixedSizeListArray.from_arrays(pa.array(matrix.reshape(-1)), matrix.shape[1])
    table = pa.table(
        [pa.array([key for key, _ in rows], KEY.type), values],
        pa.schema([KEY, pa.field("vector", values.type)]),
    )
    with written_aside(path) as aside:
        pq.write_table(
            table,
            aside,
            compression="zstd",
            use_dictionary=False,
            column_encoding={"key": "PLAIN", "vector.list.element": "BYTE_STREAM_SPLIT"},
        )


def made(
    texts: Sequence[str], encode: Encode, folder: Path, dimensions: int | None = None
) -> Vectors:
    """Make the vectors of texts, a batch at a time; each batch is kept in `folder` at once.

    dimensions: those of the vectors that there are; None if there are none. Raises InputError for
    a batch that is no vectors, or has other dimensions, before it is kept.
    """
    vectors: Vectors = {}
    for batch in _batches(texts):
        matrix = checked(encode(batch), batch, dimensions)
        dimensions = matrix.shape[1]
        part = dict(zip(batch, matrix, strict=True))
        name = hashlib.sha256(b"".join(sorted(map(key_of, batch)))).hexdigest()
        write_vectors(folder / f"{name[:16]}{SUFFIX}", part)
        vectors |= part
    return vectors


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), BATCH_TEXTS):
        yield texts[start : start + BATCH_TEXTS]


def dimensions_of(vectors: Vectors, kept: Path) -> int | None:
    """The dimensions of an encoder's vectors, None if there are none; refused if they differ."""
    found = sorted({len(vector) for vector in vectors.values()})
    if len(found) > 1:
        raise InputError(
            f"{kept}: vectors of one encoder with different dimensions "
            f"({', '.join(map(str, found))}): delete the folder, then run the same command again"
        )
    return found[0] if found else None


def checked(matrix: np.ndarray, texts: Sequence[str], dimensions: int | None = None) -> np.ndarray:
    """What an encoder gave, float32, shape (texts, dimensions); refused if it is no vectors."""
    matrix = np.asarray(matrix, np.float32)
    if matrix.ndim != 2 or len(matrix) != len(texts) or not matrix.size:
        shape = "x".join(map(str, matrix.shape))
        raise InputError(f"the encoder gave no vectors for {len(texts)} texts (shape {shape})")
    if not np.isfinite(matrix).all() or not matrix.any(axis=1).all():
        raise InputError("the encoder gave a vector that has no direction (zero, or no number)")
    if dimensions not in (None, matrix.shape[1]):
        raise InputError(
            f"the encoder gave vectors of {matrix.shape[1]} dimensions, and those that there are "
            f"have {dimensions}: let the same model make all of them"
        )
    return matrix


def missing_line(encoder: str, missing: Sequence[str], why: str) -> str:
    """What to tell of texts that have no vector, on one line."""
    first = missing[0][:SHOWN_CHARACTERS]
    count = f"{len(missing):,} texts have" if len(missing) > 1 else "a text has"
    return f"{count} no recorded vector by {encoder} (the first: {first!r}), and {why}"


def record(root: Path, encoder: str, corpus: str, vectors: Vectors, about: Mapping) -> None:
    """Keep a corpus's vectors as those that ship, and name them in the manifest.

    about: how they were made; it replaces what the manifest says of the encoder.
    """
    path = root / folder_of(encoder) / f"{corpus}{SUFFIX}"
    write_vectors(path, vectors)
    manifest = dict(read_manifest(root))
    files = dict(manifest.get(encoder, {"files": {}})["files"])
    files[path.name] = {"sha256": sha256_of(path), "vectors": len(vectors)}
    manifest[encoder] = {**about, "files": files}
    write_json(root / MANIFEST, manifest)
