"""What the notebooks show of a profile's results: tables, figures, verdicts, single queries.

Cards, queries and answers are untrusted: all text is escaped here, once, on its way into HTML.
"""

import html
import json
import re
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import pandas as pd

from agent_discovery.errors import InputError, printable
from agent_discovery.notebooks.exchange import Exchange
from agent_discovery.reporting.tables import presented

LONGEST_LINE = 1000
HEAD = re.compile("<th>[^<]*</th>")


class Html:
    """HTML as Jupyter displays it, with plain text for where there is none."""

    def __init__(self, markup: str, plain: str):
        self._markup, self._plain = markup, plain

    def _repr_html_(self) -> str:
        return self._markup

    def __repr__(self) -> str:
        return self._plain


def said(text: str) -> Html:
    """A paragraph of computed text."""
    return Html(f"<p>{html.escape(printable(text))}</p>", printable(text))


def shown(table: pd.DataFrame) -> Html:
    """A table as a reader sees it: rounded, intervals beside their values, nothing as markup."""
    cells = presented(table).rename(columns=printable).map(printable)
    markup = cells.to_html(index=False, border=0)
    markup = HEAD.sub(lambda head: head[0].replace("_", "_<wbr>"), markup)  # long names may wrap
    return Html(markup, cells.to_string(index=False))


def quoted(text: str, lines: int | None = None) -> Html:
    """Text as it is, line by line; at most the first `lines` of it, each cut where it is long."""
    all_lines = [printable(line) for line in text.rstrip("\n").split("\n")]
    kept = [f"{line[:LONGEST_LINE]}…" if len(line) > LONGEST_LINE else line for line in all_lines]
    kept = kept[:lines]
    if len(kept) < len(all_lines):
        kept.append(f"… and {len(all_lines) - len(kept):,} more lines")
    plain = "\n".join(kept)
    return Html(f"<pre>{html.escape(plain)}</pre>", plain)


def told_exchange(made: Exchange, lines: int = 12) -> Html:
    """A call: the system's message, the start of the user's, the answer, and what came of it."""
    row = made.row
    spent = f"{row['tokens_in']:,} input tokens ({row['token_source']})"
    outcome = f"outcome: {row['outcome']}; selected: {row['selected_id'] or 'nothing'}; {spent}"
    parts = {"system": made.system, "user": made.user, "answer": made.answer, "came of it": outcome}
    blocks = {name: quoted(text, lines) for name, text in parts.items() if text}
    markup = "".join(f"<h4>{name}</h4>{block._repr_html_()}" for name, block in blocks.items())
    return Html(markup, "\n".join(f"[{name}]\n{block!r}" for name, block in blocks.items()))


class Results:
    """The results of a profile."""

    def __init__(self, folder: Path):
        self.folder = folder

    @classmethod
    def find(cls, profile: str) -> Self:
        """Those of `results/<profile>` in this folder or the nearest above it that has them."""
        for root in (Path.cwd(), *Path.cwd().parents):
            if (root / "results" / profile).is_dir():
                return cls(root / "results" / profile)
        raise InputError(f"results/{profile} is not there: run snakemake notebooks first")

    def frame(self, name: str) -> pd.DataFrame:
        """A CSV or Parquet file of the results."""
        path = self.folder / name
        return pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)

    def json(self, name: str) -> Mapping[str, Any]:
        """A JSON file of the results."""
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def table(self, name: str, *columns: str) -> Html:
        """A result table, or some of its columns (with their intervals)."""
        table = self.frame(name)
        ends = ("", "_low", "_high")
        wanted = [f"{column}{end}" for column in columns for end in ends]
        return shown(table[[column for column in wanted if column in table] or list(table)])

    def figure(self, name: str, alternative: str) -> Html:
        """A figure (an SVG file, without its ending); alternative: what it shows, in words."""
        data = b64encode((self.folder / f"{name}.svg").read_bytes()).decode()
        text = html.escape(alternative, quote=True)
        source = f"data:image/svg+xml;base64,{data}"
        return Html(f'<img alt="{text}" src="{source}">', f"[figure: {alternative}]")

    def verdicts(self, name: str, ids: str) -> Html:
        """The published claims whose ids start so, beside ours."""
        table = self.frame(name)
        table = table[table["id"].str.startswith(ids)]
        named = {"low": "ours_low", "high": "ours_high"}  # so that they stand beside it
        return shown(table.drop(columns=["paper", "id", "ought", "measured"]).rename(columns=named))

    def counted(self, name: str, ids: str) -> Html:
        """In words: how many of those claims have which verdict."""
        table = self.frame(name)
        counts = table.loc[table["id"].str.startswith(ids), "verdict"].value_counts()
        each = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        return said(f"Of {counts.sum()} published claims: {each}.")
