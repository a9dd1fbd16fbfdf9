"""A folder of flat arrays with a checksummed, versioned manifest, opened by memory mapping."""

import json
import re
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from agent_discovery.errors import InputError
from agent_discovery.files import sha256_of, write_json

MANIFEST = "manifest.json"
ARRAY_NAME = re.compile("[a-z_]{1,64}")


class ArrayFile:
    """An array on disk that is appended to, then read back by memory mapping."""

    def __init__(self, path: Path, dtype: type):
        self.path = path
        self.dtype = np.dtype(dtype)
        self.length = 0
        self._stream = open(path, "wb")  # noqa: SIM115 - closed by `close`

    def append(self, part: np.ndarray) -> None:
        """Add `part` at the end."""
        np.ascontiguousarray(part, self.dtype).tofile(self._stream)
        self.length += len(part)

    def mapped(self) -> np.ndarray:
        """All that was appended, read-only; nothing may be appended after."""
        self.close()
        return map_array(self.path, self.dtype, self.length)

    def close(self) -> None:
        """End writing."""
        self._stream.close()


def map_array(path: Path, dtype: np.dtype, length: int) -> np.ndarray:
    """A file's array, mapped read-only (an empty file cannot be mapped)."""
    if length == 0:
        return np.empty(0, dtype)
    return np.memmap(path, dtype, mode="r", shape=(length,)).view(np.ndarray)


class ArrayWriter:
    """Writes arrays into a folder; each is appended to in parts, so none need fit in memory."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._kept: dict[str, ArrayFile] = {}
        self._spilled: list[ArrayFile] = []

    def array(self, name: str, dtype: type, content: np.ndarray | None = None) -> ArrayFile:
        """A new array of the folder; with `content`, written at once."""
        self._kept[name] = ArrayFile(self.folder / f"{name}.bin", dtype)
        if content is not None:
            self._kept[name].append(content)
        return self._kept[name]

    def spill(self, name: str, dtype: type) -> ArrayFile:
        """A temporary array, removed by `finish`."""
        self._spilled.append(ArrayFile(self.folder / f"{name}.spill", dtype))
        return self._spilled[-1]

    def finish(self, format_name: str, version: int, counts: dict[str, int]) -> None:
        """Remove what was spilled and write the manifest; without it the folder is no index."""
        for spilled in self._spilled:
            spilled.close()
            spilled.path.unlink()
        arrays = {name: self._declared(array) for name, array in self._kept.items()}
        manifest = {"format": format_name, "version": version, "counts": counts, "arrays": arrays}
        write_json(self.folder / MANIFEST, manifest)

    @staticmethod
    def _declared(array: ArrayFile) -> dict[str, Any]:
        array.close()
        checksum = sha256_of(array.path)
        return {"dtype": array.dtype.str, "length": array.length, "sha256": checksum}


class _Declared(BaseModel):
    """What a manifest says of an array."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    dtype: Literal["|u1", "<u4", "<i8", "<u8"]
    length: int = Field(ge=0, lt=1 << 48)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class _Manifest(BaseModel):
    """The manifest of a finished folder."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    format: Any
    version: Any
    counts: dict[str, int]
    arrays: dict[str, _Declared]


class ArrayFolder:
    """The arrays of a finished folder, mapped read-only, and its counts.

    Opening checks the format, the version and each file's size (milliseconds, whatever the size);
    `verify` checks the bytes too. All raise InputError when the folder is not whole.
    """

    def __init__(self, folder: str | Path, format_name: str, version: int):
        self.folder = Path(folder)
        self._manifest = self._read(format_name, version)
        self._arrays = {name: self._map(name) for name in self._manifest.arrays}

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

    def verify(self) -> None:
        """Compare every file with its checksum; reads all bytes once."""
        for name, declared in self._manifest.arrays.items():
            if sha256_of(self._path(name)) != declared.sha256:
                raise self._broken(f"{name}.bin does not have its checksum")

    def _read(self, format_name: str, version: int) -> _Manifest:
        path = self.folder / MANIFEST
        if not path.is_file():
            raise InputError(f"{self.folder}: no finished index here ({MANIFEST} is missing)")
        try:
            manifest = _Manifest.model_validate(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, RecursionError):
            raise self._broken(f"{MANIFEST} cannot be read") from None
        found = (manifest.format, manifest.version)
        if found != (format_name, version):
            raise self._broken(f"it is {found[0]} version {found[1]}, not {format_name} {version}")
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
