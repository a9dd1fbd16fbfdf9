"""Table VI: the paper's systems by their properties, and what runs here with its figures."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import pandas as pd
import yaml
from pydantic import ValidationError

from agent_discovery.errors import InputError
from agent_discovery.reporting.claims import Model

PROPERTIES = [
    "preselects",
    "training_free",
    "traceable",
    "agent_cards_native",
    "bounded",
    "learned",
]
GRAPH_VIEWS = ("pool", "direct")  # the primary ones, where there is no `pool` the question's
Stated = Literal["yes", "no", "partly", "not stated"]


class System(Model):
    """A system that the paper names, and what its text says of it."""

    system: str
    says: str
    where: str
    preselects: Stated
    training_free: Stated
    traceable: Stated
    agent_cards_native: Stated
    bounded: Stated
    learned: Stated


class Here(Model):
    """Methods that run here, and which index they need."""

    methods: list[str]
    training_free: str
    traceable: Stated
    index: Literal["isi", "bm25", "vectors"]


def read_table6(path: str | Path) -> tuple[list[System], list[Here]]:
    """The systems of the paper and the methods that run here, as expected/table6.yaml has them."""
    try:
        given = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        systems = [System.model_validate(value) for value in given["systems"]]
        return systems, [Here.model_validate(value) for value in given["here"]]
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"{path}: {first['loc']}: {first['msg']}") from None
    except (OSError, ValueError, yaml.YAMLError, KeyError, TypeError):
        raise InputError(f"{path}: must be a YAML file with `systems` and `here`") from None


def conceptual(systems: list[System]) -> pd.DataFrame:
    """A row a system of the paper: its properties, what the paper says of it and where."""
    return pd.DataFrame([system.model_dump() for system in systems])[
        ["system", *PROPERTIES, "says", "where"]
    ]


def running(
    here: list[Here],
    table3: pd.DataFrame,
    baselines: pd.DataFrame,
    sizes: Mapping[str, int],
    graph_corpus: str,
) -> pd.DataFrame:
    """A row a method that ran: corpus, queries, properties, index size in bytes, recall at K.

    table3, baselines: RQ2's and the graph's tables; sizes: bytes of each kind of index. Recall is
    the set-based one, at the greatest K of each table; of the graph's views the primary one.
    """
    known = {method: kind for kind in here for method in kind.methods}
    view = next(view for view in GRAPH_VIEWS if view in set(baselines["view"]))
    graph = baselines[baselines["view"] == view].assign(corpus=f"{graph_corpus} ({view})")
    rows = [
        {
            "method": row["method"],
            "corpus": row["corpus"],
            "queries": row["queries"],
            "training_free": known[row["method"]].training_free,
            "traceable": known[row["method"]].traceable,
            "index_bytes": sizes.get(known[row["method"]].index),
            "measure": measure,
            **{f"recall{end}": row[f"{measure}{end}"] for end in ("", "_low", "_high")},
        }
        for table in (table3, graph)
        for measure in [_deepest_recall(table)]
        for row in table.to_dict("records")
        if row["method"] in known and (table is table3 or known[row["method"]].index == "vectors")
    ]
    return pd.DataFrame(rows)


def _deepest_recall(table: pd.DataFrame) -> str:
    names = [name for name in table if name.startswith("recall@") and name.split("@")[1].isdigit()]
    return max(names, key=lambda name: int(name.split("@")[1]))


def timed(running_here: pd.DataFrame, latency: pd.DataFrame) -> pd.DataFrame:
    """The measured column: mean milliseconds a query of each method that was timed on its own."""
    times = latency[latency["stage"] == "retrieval"].set_index("method")
    methods = [method for method in running_here["method"].unique() if method in times.index]
    kept = ["wall_ms_mean", "wall_ms_median", "wall_ms_p95"]
    return times.loc[methods, kept].reset_index()


def folder_bytes(folder: str | Path) -> int:
    """Bytes of an index's own files."""
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    return sum(path.stat().st_size for path in files if not path.name.startswith("."))
