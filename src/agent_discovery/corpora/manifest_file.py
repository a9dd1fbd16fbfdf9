"""Make data/manifest.csv anew: `python -m agent_discovery.corpora.manifest_file`."""

import csv
import io
from pathlib import Path

from agent_discovery.files import sha256_of, write_text

MANIFEST = "manifest.csv"
APACHE_TITLE = "Apache License"


def manifest_text(root: Path) -> str:
    """The manifest of all data files below `root`: path, bytes, sha256, licence."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["path", "bytes", "sha256", "licence"])
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        licence = _licences(folder)
        for file in sorted(folder.iterdir()):
            name = file.relative_to(root).as_posix()
            writer.writerow([name, file.stat().st_size, sha256_of(file), licence])
    return out.getvalue()


def _licences(folder: Path) -> str:
    """The SPDX names of the licence files of a set (all are Apache-2.0 or MIT)."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(folder.glob("LICENSE*"))]
    names = {"Apache-2.0" if APACHE_TITLE in text else "MIT" for text in texts}
    return " AND ".join(sorted(names))


if __name__ == "__main__":
    data = Path("data")
    write_text(data / MANIFEST, manifest_text(data))
