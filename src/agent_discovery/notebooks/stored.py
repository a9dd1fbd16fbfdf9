"""How a notebook is stored: without outputs, counts and what an editor adds. `make format` does it.

`python -m agent_discovery.notebooks.stored notebooks/*.ipynb` brings notebooks into this form.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from agent_discovery.errors import InputError, one_line_errors
from agent_discovery.files import write_text

PARAMETERS = "parameters"  # the tag of the one cell whose values a run may set
METADATA = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def read_notebook(path: str | Path) -> NotebookNode:
    """A notebook of nbformat 4; InputError for what is none."""
    try:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    except (OSError, ValueError, nbformat.ValidationError):
        raise InputError(f"{path}: not a notebook of nbformat 4: restore it") from None
    return notebook


def stored(notebook: NotebookNode) -> str:
    """The text of the file: outputs, execution counts and metadata gone, but the cells' tags."""
    kept = nbformat.v4.new_notebook(metadata=METADATA)
    for cell in notebook.cells:
        own = {"tags": cell.metadata["tags"]} if cell.metadata.get("tags") else {}
        new = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}
        kept.cells.append(new[cell.cell_type](cell.source, id=cell.id, metadata=own))
    return nbformat.writes(kept).rstrip("\n") + "\n"


def with_parameters(notebook: NotebookNode, values: Mapping[str, Any]) -> NotebookNode:
    """The notebook with other values in its cell of parameters. Raises InputError without one."""
    cells = [cell for cell in notebook.cells if PARAMETERS in cell.metadata.get("tags", [])]
    if len(cells) != 1:
        raise InputError(f"a notebook has one cell tagged {PARAMETERS}, not {len(cells)}")
    cells[0].source = "\n".join(f"{name} = {value!r}" for name, value in values.items())
    return notebook


if __name__ == "__main__":
    with one_line_errors():
        for argument in sys.argv[1:]:
            write_text(argument, stored(read_notebook(argument)))
