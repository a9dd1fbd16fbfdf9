"""The page itself: what `contents` lists, the verdicts and findings, put through the template."""

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import pandas as pd
from jinja2 import Environment, StrictUndefined

from agent_discovery.errors import printable
from agent_discovery.reporting.claims import Claim
from agent_discovery.reporting.graph_text import parts
from agent_discovery.reporting.page.contents import SECTIONS, Figure, Section, Table
from agent_discovery.reporting.page.findings import HEADLINES, UNSAID
from agent_discovery.reporting.page.reading import Found, found
from agent_discovery.reporting.page.results import Results, anchor
from agent_discovery.reporting.tables import legend, presented
from agent_discovery.reporting.verdict_text import counted, published, shown

HERE = files("agent_discovery.reporting.page")
OPEN_VIEWS = ("pool", "direct")
RQ_NAMES = {"rq1": "RQ1", "rq2": "RQ2", "rq3": "RQ3", "graph": "Graph"}
ENDS = ("_low", "_high", "_worst", "_best")
OUTCOMES = {  # what an outcome means, and the sign beside its word
    "reproduced": ("✓", "within half a unit of the last published digit; or the direction holds"),
    "differs": ("✗", "by how much is said beside it, and why where it is known"),
    "calibrated": ("≈", "the benchmark was made to the published figure"),
    "by construction": ("≈", "the benchmark was made so that it holds"),
    "other model": ("◐", "the same protocol with another LLM or encoder, which is named"),
    "stand-in": ("◇", "decided by the offline arbiter, which says nothing of an LLM"),
    "not run": ("○", "what it needs is said beside it"),
}


@dataclass(frozen=True)
class Given:
    """What the page is made from.

    verdicts: each paper's table of verdicts, deterministic and measured, with its claims; real:
    what to note under tables of a corpus that is not what its name says; cite: CITATION.cff.
    """

    results: Results
    verdicts: Sequence[tuple[pd.DataFrame, list[Claim]]]
    profile: str
    k: int
    note: str = ""
    cite: str = ""
    real_model: Results | None = None


def published_figures(verdicts: Sequence[tuple[pd.DataFrame, list[Claim]]]) -> dict[str, str]:
    """Published figures as text, by claim id."""
    return {claim.id: published(claim) for _, claims in verdicts for claim in claims}


def page(given: Given) -> str:
    """The page as HTML text. Every value is escaped; scripts other than the page's cannot run."""
    style, script = (
        (HERE / name).read_text(encoding="utf-8") for name in ("style.css", "filter.js")
    )
    rows = [row for table, claims in given.verdicts for row in _verdicts(given, table, claims)]
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["id"] = anchor
    template = environment.from_string((HERE / "template.html").read_text(encoding="utf-8"))
    every = pd.concat([table for table, _ in given.verdicts])
    return template.render(
        given=given,
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        rows=rows,
        counts=counted(every),
        outcomes=OUTCOMES,
        rq_names=RQ_NAMES,
        headlines=_linked(given.results, HEADLINES),
        unsaid=_linked(given.results, UNSAID),
        sections=[_section(given, section) for section in SECTIONS],
        real_model=_real_model(given),
        provenance=_provenance(given.results),
    )


def _hash(text: str) -> str:
    """How the page's policy names its own script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _verdicts(given: Given, table: pd.DataFrame, claims: list[Claim]) -> Iterator[dict[str, Any]]:
    sources = {claim.id: claim.ours.table for claim in claims}
    titles = {given.results.path(table.file): s.title for s in SECTIONS for table in s.tables}
    for row in shown(table, claims).to_dict("records"):
        folders = given.results.folders
        file = sources[row["id"]].format(corpus=folders[row["rq"]])
        title = titles[file].split(":")[0]
        sign = OUTCOMES[row["verdict"]][0]
        yield {**row, "source": file, "source_title": title, "sign": sign}


def _linked(results: Results, wanted: Sequence[Found]) -> list[dict[str, Any]]:
    """Findings with the files of their sources."""
    return [
        {"head": f.head, "text": f.text, "sources": [results.path(name) for name in f.sources]}
        for f in found(results, wanted)
    ]


def _section(given: Given, section: Section) -> dict[str, Any]:
    return {
        "id": section.id,
        "paper": section.paper,
        "title": section.title,
        "command": section.command,
        "text": section.text,
        "tables": [_table(given, table) for table in section.tables],
        "figures": [_figure(given, figure) for figure in section.figures],
    }


def _table(given: Given, table: Table) -> dict[str, Any]:
    read = given.results.table(table.file)
    file = given.results.path(table.file)
    told = {"file": file, "title": table.title, "folded": table.folded, "missing": read is None}
    if read is None:
        return {**told, "parts": []}
    if table.sizes and len(read):
        return {**told, "parts": _by_size(given, read)}
    return {**told, "parts": list(_parts(given, read, table.views))}


def _parts(given: Given, read: pd.DataFrame, views: bool) -> Iterator[dict[str, Any]]:
    """A table in parts: heading, head, rows and legend; parts after the primary ones folded."""
    for heading, rows in parts(read, given.k) if views else [("", read)]:
        heading = heading.strip("# \n")
        view = re.split("[:,]", heading)[0]
        yield {
            "heading": heading,
            "folded": bool(view) and "view" in read and view not in OPEN_VIEWS,
            **_grid(rows, given.note),
        }


def _by_size(given: Given, read: pd.DataFrame) -> list[dict[str, Any]]:
    """A table in a part for each registry size; what explains it stands below the last."""
    parts = [
        {"heading": f"N = {n:,}", "folded": False, **_grid(rows.drop(columns="n"), given.note)}
        for n, rows in read.groupby("n", sort=False)
    ]
    below = printable(legend(read, given.note))
    return [part | {"legend": ""} for part in parts[:-1]] + [parts[-1] | {"legend": below}]


def _grid(rows: pd.DataFrame, note: str) -> dict[str, Any]:
    """Head, rows and legend of a table, as text without characters that cannot be seen."""
    cells = presented(rows)
    return {
        "head": [printable(str(name)) for name in cells],
        "rows": [[printable(str(cell)) for cell in row] for row in cells.to_numpy().tolist()],
        "legend": printable(legend(rows, note)),
    }


def _figure(given: Given, figure: Figure) -> dict[str, Any]:
    image = given.results.image(figure.file)
    read = given.results.table(figure.table)
    told = {
        "image": image,
        "alt": figure.alt,
        "file": given.results.path(figure.file),
        "behind": given.results.path(figure.table),
        "measured": "measured/" in figure.file,
    }
    if image is None or read is None:
        return {**told, "grid": None}
    return {**told, "grid": _grid(_drawn(read, figure.columns), given.note)}


def _drawn(table: pd.DataFrame, wanted: Sequence[str]) -> pd.DataFrame:
    """The columns that a figure draws (`success@` is each of that kind), with their intervals."""
    if not wanted:
        return table
    bases = {name: str(name) for name in table}
    for end in ENDS:
        bases = {name: base.removesuffix(end) for name, base in bases.items()}
    kinds = tuple(name for name in wanted if name.endswith("@"))
    names = [n for n, base in bases.items() if base in wanted or (kinds and base.startswith(kinds))]
    return table[names]


def _real_model(given: Given) -> list[dict[str, Any]]:
    """The tables of a real model's recorded answers, if they are there."""
    if given.real_model is None:
        return []
    told = []
    for file, title in (
        ("rq1/agentbench/table2.csv", "RQ1, queries as published"),
        ("rq1/agentbench-paraphrased/table2.csv", "RQ1, the same queries in other words"),
        ("rq3/toolpool/table4.csv", "RQ3, toolpool"),
        ("rq3/toolpool/table5.csv", "RQ3, paired tests"),
    ):
        table = given.real_model.table(file)
        if table is not None:
            told.append({"title": title, "file": file, **_grid(table, "")})
    return told


def _provenance(results: Results) -> list[dict[str, Any]]:
    """What each part was made from: corpus, its digest, revision and versions."""
    told = []
    for name in ("rq1/agentbench", "rq2/{rq2}", "rq3/{rq3}", "graph/{graph}"):
        made = results.json(f"{name}/provenance.json")
        if made is not None:
            told.append({"part": results.path(name), **_facts(made)})
    return told


def _facts(made: Mapping[str, Any]) -> dict[str, Any]:
    corpus = _flat(made["corpus"])
    versions = ", ".join(f"{name} {version}" for name, version in made["packages"].items())
    return {
        "corpus": corpus,
        "revision": made["git_revision"],
        "versions": f"Python {made['python']}, SQLite {made['sqlite']}, {versions}",
        "arbiter": made.get("arbiter"),
    }


def _flat(facts: Mapping[str, Any], ahead: str = "") -> dict[str, str]:
    """Facts of a corpus as text, nested ones by all their names; empty ones are left out."""
    told = {}
    for name, value in facts.items():
        if isinstance(value, dict):
            told |= _flat(value, f"{ahead}{name} ")
        elif value not in (None, [], ""):
            text = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
            told[printable(f"{ahead}{name}".replace("_", " "))] = printable(text)
    return told
