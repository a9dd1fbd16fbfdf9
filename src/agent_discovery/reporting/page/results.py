"""A profile's results as the page reads them: what did not run is absent, never a zero."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Results:
    """A profile's folder, the folders of its corpora by research question, and the claims.

    published: the figures that the papers publish, as text, by claim id.
    """

    root: Path
    folders: Mapping[str, str]
    published: Mapping[str, str]

    def path(self, name: str) -> str:
        """A file's name below the profile's folder. name: with `{rq2}` for RQ2's corpus, ..."""
        return name.format(**self.folders)

    def table(self, name: str) -> pd.DataFrame | None:
        """A result table; None where it did not run."""
        path = self.root / self.path(name)
        return pd.read_csv(path) if path.is_file() else None

    def json(self, name: str) -> dict[str, Any] | None:
        """The content of a JSON file; None where it is not there."""
        path = self.root / self.path(name)
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None

    def image(self, name: str) -> str | None:
        """A figure as a data: address; as an image no script in it would run."""
        path = self.root / self.path(name)
        if not path.is_file():
            return None
        return "data:image/svg+xml;base64," + base64.b64encode(path.read_bytes()).decode("ascii")


def anchor(path: str) -> str:
    """The id on the page of the table of a file. path: below the profile's folder."""
    return "t-" + "-".join(path.removesuffix(".csv").replace(".", "-").split("/"))
