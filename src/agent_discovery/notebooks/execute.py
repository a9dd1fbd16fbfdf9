"""Running a notebook: to a notebook with outputs, and to a page (`notebooks.page`).

The bytes of both are the same on every run. Needs the `notebooks` extra.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from traitlets.config import Config as TraitsConfig

from agent_discovery.errors import InputError
from agent_discovery.files import write_text
from agent_discovery.notebooks.page import page_of
from agent_discovery.notebooks.stored import read_notebook, with_parameters
from agent_discovery.temporary import temporary_folder

TIMEOUT_S = 300
# Settings and files of the user's own Jupyter must not come into a result.
OWN_FOLDERS = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")


def run_notebook(
    source: str | Path, parameters: Mapping[str, Any], notebook: str | Path, page: str | Path
) -> None:
    """Execute `source` with `parameters` in the working folder; write the notebook and the page.

    Raises InputError when a cell fails: one line says which cell, and how.
    """
    executed = with_parameters(read_notebook(source), parameters)
    with _own_jupyter():
        _execute(executed, source)
        text = page_of(executed)
    write_text(notebook, nbformat.writes(executed).rstrip("\n") + "\n")
    write_text(page, text)


@contextmanager
def _own_jupyter() -> Iterator[None]:
    with temporary_folder() as folder:
        own = {name: str(folder / name.lower()) for name in OWN_FOLDERS}
        with patch.dict(os.environ, {**own, "JUPYTER_PREFER_ENV_PATH": "1"}):
            yield


def _execute(notebook: NotebookNode, source: str | Path) -> None:
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT_S,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        config=TraitsConfig({"KernelManager": {"transport_encryption": "auto"}}),
        resources={"metadata": {"path": os.getcwd()}},
    )
    try:
        client.execute()
    except CellExecutionError as error:
        raise InputError(f"{source}: a cell failed: {error.ename}: {error.evalue}") from None
    except (CellTimeoutError, DeadKernelError) as error:
        raise InputError(f"{source}: {' '.join(str(error).split())}") from None
