"""The notebooks run, and print what the site shows."""

from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from tests.support.notebooks import FOLDER, POOL, TRL, executed, printed, run_pool, run_trl


def test_the_notebook_of_the_pool_prints_what_it_shows(tmp_path: Path) -> None:
    shown = list(printed(nbformat.read(POOL, as_version=4)))
    assert list(printed(run_pool(tmp_path))) == shown
    assert sum(bool(text) for _, text in shown) > 10


def test_a_cell_that_raises_is_noticed(tmp_path: Path) -> None:
    wrong = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")])
    nbformat.write(wrong, tmp_path / "wrong.ipynb")
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        executed(tmp_path / "wrong.ipynb", seconds=60, place=tmp_path)


@pytest.mark.slow  # a set of problems, a warm-up and three steps of GRPO: under a minute on two free cores
def test_the_notebook_of_trl_trains(tmp_path: Path, training_python: str) -> None:
    run = run_trl(tmp_path, training_python)
    text = "".join(text for _, text in printed(run))
    assert "step 3: reward" in text


def test_every_notebook_shows_what_it_prints_and_is_small() -> None:
    assert {POOL, TRL} == set(FOLDER.glob("*.ipynb"))
    for notebook in (POOL, TRL):
        assert notebook.stat().st_size < 60_000
        cells = [cell for cell in nbformat.read(notebook, as_version=4).cells if cell.cell_type == "code"]
        assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
        assert not any(output.output_type == "error" for cell in cells for output in cell.outputs)
