"""Writing a folder of flat arrays in steps: a killed run goes on from its last whole step.

All files are only ever appended to. After each step a journal tells how long each one is; the next
run cuts off what came after, and so is where the last one was.
"""

from pathlib import Path
from typing import Any

import numpy as np

from agent_discovery.corpora.readers import parse_json, read_text
from agent_discovery.errors import InputError
from agent_discovery.files import empty, sha256_of, write_json
from agent_discovery.retrieval.arrays import MANIFEST, with_digest
from agent_discovery.retrieval.scratch import Scratch

JOURNAL = "journal.json"
# For larger writes the system takes memory in large pieces, seldom of what was just freed; fresh
# memory is dear where a virtual machine has to ask its host for it.
WRITTEN_BYTES = 1 << 16
KEPT, SPILLED = ".bin", ".spill"


class ArrayFile:
    """An array on disk that is appended to and read in slices; never more than a slice in memory.

    length: how much of what is on disk counts; the rest is cut off.
    """

    def __init__(self, path: Path, dtype: Any, length: int = 0):
        self.path = path
        self.dtype = np.dtype(dtype)
        self.length = length
        with open(path, "ab") as stream:
            stream.truncate(length * self.dtype.itemsize)

    def append(self, part: np.ndarray) -> None:
        """Add `part` at the end."""
        content = np.ascontiguousarray(part, self.dtype).reshape(-1).view(np.uint8)
        with open(self.path, "ab") as stream:
            # Not `tofile`, which does not say why the disk refused.
            for start in range(0, len(content), WRITTEN_BYTES):
                stream.write(content[start : start + WRITTEN_BYTES])
        self.length += part.size

    def read(
        self, start: int = 0, stop: int | None = None, scratch: Scratch | None = None
    ) -> np.ndarray:
        """A slice, copied into memory: mapped pages would count as this process's memory too.

        scratch: whose memory to use; the slice lasts until the next that is read so.
        """
        stop = self.length if stop is None else stop
        scratch = scratch or Scratch()
        content = scratch.take("read", self.dtype, stop - start)
        with open(self.path, "rb") as stream:
            stream.seek(start * self.dtype.itemsize)
            if stream.readinto(content) != content.nbytes:
                raise OSError(f"{self.path}: is shorter than what was written to it")
        return content


class ArrayWriter:
    """Writes arrays into a folder in steps; nothing but what is appended need fit in memory.

    plan: what the bytes depend on. A folder begun by the same plan is gone on with, any other is
    begun anew. `state`: numbers that the next run shall know; saved by `save`, as all else.
    """

    def __init__(self, folder: Path, plan: dict[str, Any]):
        self.folder = folder
        self._plan = plan
        self._files: dict[str, ArrayFile] = {}
        self.state: dict[str, int] = {}
        journal = self._journal()
        if journal is None:
            folder.mkdir(parents=True, exist_ok=True)
            empty(folder)  # not removed: it is locked
            return
        self.state = journal["state"]
        for name, (dtype, length) in journal["files"].items():
            self._files[name] = ArrayFile(folder / name, dtype, length)
        for path in folder.iterdir():
            if path.name not in (*self._files, JOURNAL):
                path.unlink()

    def _journal(self) -> dict[str, Any] | None:
        """The last run's journal, if it was about the same and every file is as long as it says."""
        try:
            path = self.folder / JOURNAL
            journal = parse_json(read_text(path), str(path))
            whole = all(
                (self.folder / name).stat().st_size >= np.dtype(dtype).itemsize * length
                for name, (dtype, length) in journal["files"].items()
            )
            return journal if whole and journal["plan"] == self._plan else None
        except (InputError, OSError, ValueError, KeyError, TypeError):
            return None

    def array(self, name: str, dtype: Any) -> ArrayFile:
        """An array of the folder: as the last run left it, or empty."""
        return self._file(name + KEPT, dtype)

    def spill(self, name: str, dtype: Any) -> ArrayFile:
        """A temporary array, as the last run left it, or empty; gone in the end."""
        return self._file(name + SPILLED, dtype)

    def write(self, name: str, dtype: Any, content: np.ndarray) -> None:
        """An array of the folder, written at once."""
        self._files[name + KEPT] = ArrayFile(self.folder / (name + KEPT), dtype)
        self._files[name + KEPT].append(content)

    def append_to(self, name: str, part: np.ndarray) -> None:
        """Go on with an array that is there."""
        self._files[name + KEPT].append(part)

    def _file(self, name: str, dtype: Any) -> ArrayFile:
        if name not in self._files:
            self._files[name] = ArrayFile(self.folder / name, dtype)
        return self._files[name]

    def save(self, *useless: ArrayFile, **state: int) -> None:
        """End a step: what was appended so far will be there for the next run, and `state` too.

        useless: spilled arrays that no later step reads; they are removed.
        """
        self.state.update(state)
        for file in useless:
            del self._files[file.path.name]
        files = {name: [file.dtype.str, file.length] for name, file in self._files.items()}
        write_json(self.folder / JOURNAL, {"plan": self._plan, "state": self.state, "files": files})
        for file in useless:
            file.path.unlink()

    def finish(self, format_name: str, version: int, corpus: str, counts: dict[str, int]) -> None:
        """Write the manifest, without which the folder is no index, and remove all else."""
        arrays = {}
        for name, file in self._files.items():
            if name.endswith(KEPT):
                declared = {"dtype": file.dtype.str, "length": file.length}
                arrays[name.removesuffix(KEPT)] = {**declared, "sha256": sha256_of(file.path)}
        about = {"format": format_name, "version": version, "corpus": corpus}
        manifest = with_digest({**about, "counts": counts, "arrays": arrays})
        write_json(self.folder / MANIFEST, manifest)
        for path in self.folder.iterdir():
            if path.name.endswith(SPILLED) or path.name == JOURNAL:
                path.unlink()
