"""A folder of flat arrays with a checksummed, versioned manifest, opened by memory mapping."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field
from tqdm import tqdm

from agent_discovery.corpora.readers import parse_json, read_text
from agent_discovery.errors import InputError
from agent_discovery.files import sha256_of

MANIFEST = "manifest.json"
ARRAY_NAME = re.compile("[a-z_]{1,64}")


def map_array(path: Path, dtype: np.dtype, length: int) -> np.ndarray:
    """A file's array, mapped read-only (an empty file cannot be mapped)."""
    if length == 0:
        return np.empty(0, dtype)
    return np.memmap(path, dtype, mode="r", shape=(length,)).view(np.ndarray)


class _Declared(BaseModel):
    """What a manifest says of an array."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    dtype: Literal["|u1", "<u2", "<u4", "<i8", "<u8"]
    length: int = Field(ge=0, lt=1 << 48)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class _Manifest(BaseModel):
    """The manifest of a finished folder."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    format: Any
    version: Any
    corpus: str = Field(pattern="^[0-9a-f]{0,64}$")
    counts: dict[str, Annotated[int, Field(ge=0, lt=1 << 48)]]
    arrays: dict[str, _Declared]
    sha256: str | None = None  # of all else; what was built before it was kept has none


def with_digest(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """A manifest with a digest of its own content, as it is written."""
    content = {key: value for key, value in manifest.items() if key != "sha256"}
    text = json.dumps(content, sort_keys=True)
    return {**content, "sha256": hashlib.sha256(text.encode()).hexdigest()}


class ArrayFolder:
    """The arrays of a finished folder, mapped read-only, and its counts.

    Opening checks the format, the version, the digest of the manifest and each file's size
    (milliseconds, whatever the size); `verify` checks the bytes too. All raise InputError when the
    folder is not whole.
    """

    def __init__(self, folder: str | Path, format_name: str, version: int):
        self.folder = Path(folder)
        self._manifest = self._read(format_name, version)
        self._arrays = {name: self._map(name) for name in self._manifest.arrays}

    @property
    def corpus(self) -> str:
        """The digest of what the folder was made from; empty where that was not said."""
        return self._manifest.corpus

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self._arrays[name]
        except KeyError:
            raise self._broken(f"the manifest names no array {name!r}") from None

    def count(self, name: str) -> int:
        """A count of the manifest."""
        try:
            return self._manifest.counts[name]
        except KeyError:
            raise self._broken(f"the manifest has no count {name!r}") from None

    def check(self, holds: bool) -> None:
        """Refuse a folder whose counts and arrays cannot be of one index."""
        if not holds:
            raise self._broken(f"the counts in {MANIFEST} are not those of its arrays")

    def verify(self) -> None:
        """Compare every file with its checksum; reads all bytes once."""
        arrays = self._manifest.arrays.items()
        for name, declared in tqdm(arrays, desc="verifying", unit="file", disable=None, delay=2):
            if sha256_of(self._path(name)) != declared.sha256:
                raise self._broken(f"{name}.bin does not have its checksum")

    def check_corpus(self, digest: str) -> None:
        """Refuse a folder that was made from something else."""
        if self.corpus != digest:
            raise self._broken("it was made from another corpus")

    def _read(self, format_name: str, version: int) -> _Manifest:
        path = self.folder / MANIFEST
        if not path.is_file():
            raise InputError(f"{self.folder}: no finished index here ({MANIFEST} is missing)")
        try:
            content = parse_json(read_text(path), str(path))
            found = (content["format"], content["version"])
        except (InputError, KeyError, TypeError):
            raise self._broken(f"{MANIFEST} cannot be read") from None
        if found != (format_name, version):  # another version may have another manifest
            raise self._broken(f"it is {found[0]} version {found[1]}, not {format_name} {version}")
        try:
            manifest = _Manifest.model_validate(content)
        except (ValueError, RecursionError):
            raise self._broken(f"{MANIFEST} cannot be read") from None
        if manifest.sha256 not in (None, with_digest(content)["sha256"]):
            raise self._broken(f"{MANIFEST} does not have its own checksum")
        return manifest

    def _map(self, name: str) -> np.ndarray:
        declared = self._manifest.arrays[name]
        dtype = np.dtype(declared.dtype)
        path = self._path(name)
        if not path.is_file() or path.stat().st_size != dtype.itemsize * declared.length:
            raise self._broken(f"{name}.bin is missing or does not have its size")
        return map_array(path, dtype, declared.length)

    def _path(self, name: str) -> Path:
        if not ARRAY_NAME.fullmatch(name):
            raise self._broken(f"the manifest names a file outside the folder: {name[:80]!r}")
        return self.folder / f"{name}.bin"

    def _broken(self, what: str) -> InputError:
        return InputError(f"{self.folder}: {what}: delete this folder and build the index again")
