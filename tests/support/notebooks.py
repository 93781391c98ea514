"""Notebooks that are executed: `python -m tests.support.notebooks` keeps what they print, which the site shows."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
from click import unstyle
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode

from races.resources.processes.interpreter import interpreter
from tests.support.pages import DROPPED_VARIABLES, ROOT, copy_of_repository

FOLDER = ROOT / "notebooks"
POOL, TRL = FOLDER / "pool_and_composition.ipynb", FOLDER / "grpo_with_trl.ipynb"
# What libraries print about the machine or the moment, and no reader needs.
QUIET = {"PYTHONWARNINGS": "ignore", "TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1"}


def kernels_of(python: str) -> type[AsyncKernelManager]:
    """Kernels of a given interpreter, whatever is installed for the user."""
    # Below errors a kernel says that it is reached over TCP, on this machine.
    command = [python, "-m", "ipykernel_launcher", "--log-level=ERROR", "-f", "{connection_file}"]

    class Kernels(AsyncKernelManager):
        @property
        def kernel_spec(self) -> KernelSpec:
            return KernelSpec(argv=command, display_name="Python", language="python")

    return Kernels


def executed(notebook: Path, place: Path, seconds: float, python: str = sys.executable) -> NotebookNode:
    """A notebook with what its cells print when an interpreter runs them in a folder.

    seconds: for each cell. CellExecutionError where a cell raises.
    """
    found = nbformat.read(notebook, as_version=4)
    folder = {"metadata": {"path": str(place)}}
    client = NotebookClient(
        found, timeout=seconds, resources=folder, kernel_manager_class=kernels_of(python), coalesce_streams=True
    )
    env = {name: value for name, value in os.environ.items() if not name.startswith(DROPPED_VARIABLES)}
    # The packages of the environments are those of another checkout.
    root = next((folder for folder in (place, *place.parents) if (folder / "races").is_dir()), ROOT)
    client.execute(env={**env, **QUIET, "PYTHONPATH": str(root)})
    for cell in found.cells:
        cell.metadata.pop("execution", None)  # the times
        for output in cell.get("outputs", ()):
            if "text" in output:
                output.text = unstyle(output.text).replace(str(root), "races")
    return found


def printed(notebook: NotebookNode) -> Iterator[tuple[str, str]]:
    """The source of each cell of code, and the text that it has printed."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            yield cell.source, "".join(output.get("text", "") for output in cell.outputs)


def run_pool(place: Path) -> NotebookNode:
    """The notebook of the pool, run in a folder outside the checkout."""
    return executed(POOL, place, seconds=120)


def run_trl(place: Path, training_python: str) -> NotebookNode:
    """The notebook of TRL, run in a copy of the repository by the interpreter that trains."""
    copy_of_repository(place / "races")
    return executed(TRL, place / "races" / "notebooks", seconds=3600, python=training_python)


def main() -> None:
    """Run the notebooks that are named, or all, and write what they print."""
    wanted = {Path(name).name for name in sys.argv[1:]} or {POOL.name, TRL.name}
    with tempfile.TemporaryDirectory() as folder:
        if POOL.name in wanted:
            nbformat.write(run_pool(Path(folder)), POOL)
        if TRL.name in wanted:
            nbformat.write(run_trl(Path(folder), interpreter()), TRL)
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", str(FOLDER)], check=True)


if __name__ == "__main__":
    main()
