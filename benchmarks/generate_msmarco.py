"""Generate a collection in MS MARCO passage's on-disk form, or measure the one that is there.

python -m benchmarks.generate_msmarco --passages 200000 --queries 6980 --seed 2026 --home DIR
python -m benchmarks.generate_msmarco --home DIR --statistics
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from agent_discovery.errors import InputError, one_line_errors
from benchmarks.msmarco_form.collection import Request, generate
from benchmarks.msmarco_form.statistics import measure, presented

HOME = "IR_DATASETS_HOME"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit code 0, or 2 for bad input (one line says what)."""
    options = _parser().parse_args(arguments)
    with one_line_errors():
        home = _home(options.home)
        if options.statistics:
            print(presented(measure(home, options.sample)))
            return
        mark = generate(home, Request(options.passages, options.queries, options.seed))
        total = sum(file.bytes for file in mark.files.values())
        print(
            f"{home}: {mark.passages:,} passages, {mark.queries:,} queries, {mark.judgments:,} "
            f"judgments, {total:,} bytes; {mark.note}"
        )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.generate_msmarco",
        description="Generate a collection in MS MARCO passage's on-disk form, marked as such.",
    )
    parser.add_argument("--passages", type=int, default=200_000, help="default 200000")
    parser.add_argument("--queries", type=int, default=6_980, help="default 6980")
    parser.add_argument("--seed", type=int, default=2026, help="default 2026")
    parser.add_argument("--home", help=f"the ir_datasets home to lay it in (default: ${HOME})")
    parser.add_argument(
        "--statistics",
        action="store_true",
        help="measure the collection that is there, through the index, beside what is aimed at",
    )
    parser.add_argument(
        "--sample", type=int, default=1000, help="queries that C_q is measured on (default 1000)"
    )
    return parser


def _home(named: str | None) -> Path:
    home = named or os.environ.get(HOME)
    if not home:
        raise InputError(f"no folder is named: give --home DIR, or set {HOME}")
    return Path(home).absolute()


if __name__ == "__main__":
    main()
