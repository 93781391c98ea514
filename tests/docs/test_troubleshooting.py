"""The errors that the troubleshooting page quotes, provoked and compared with it."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from pydantic import ValidationError

from races.assets.catalog.endpoints import endpoints
from races.assets.catalog.runs import RUNS
from races.assets.cli import main
from races.assets.cli.generate import make_problem
from races.assets.definitions import definitions
from races.assets.run import asked
from races.assets.tables.columns import table
from races.assets.tables.composition import PathCounts
from races.environments import get
from races.environments.errors import RacesError
from races.environments.operators import single
from races.environments.operators.problem import training_row
from races.environments.reward import compute_score
from races.environments.seeding import generator
from races.environments.user_config import entries
from races.resources.evaluation.serving.servers import listed
from races.resources.evaluation.suites import local_copies
from races.resources.processes import interpreter
from races.resources.sandbox.sandbox import Sandbox
from races.resources.store.warehouse import Warehouse
from races.resources.training.config import TrainingConfig
from races.resources.training.rows import VERL, checked_rows
from races.resources.training.torch.trainer import TorchSettings, TorchTrainer
from tests.support.pages import ROOT, agrees, blocks

PAGE = (ROOT / "docs" / "troubleshooting.md").read_text()
BROKEN = ROOT / "tests" / "support" / "own_bricks" / "broken"
WARN = """
import warnings
from races import environments
warnings.formatwarning = lambda message, *_: f"{message}\\n"
environments.pool()
"""

A_BRICK = """
from races.environments import environment
from races.environments.types import Nat

@environment()
def {}(number: Nat) -> Nat:
    \"\"\"Change the number.\"\"\"
    return {}
"""

pytestmark = pytest.mark.filterwarnings("ignore:Property `OpDefinition.version` is deprecated")


def message(action: Callable[[], object]) -> str:
    """The message of the error that an action raises."""
    with pytest.raises((RacesError, ValidationError)) as caught:
        action()
    return str(caught.value)


def races(*arguments: str) -> str:
    """What a command prints on stderr."""
    return CliRunner().invoke(main, list(arguments), env={"COLUMNS": "200"}).stderr


def wrong_python(folder: Path) -> str:
    old = folder / "python3"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.10.4" && exit 0\nexit 1\n')
    old.chmod(0o755)
    command = ["make", "setup", f"VENV={folder / 'venv'}", f"PYTHON={old}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return next(line for line in done.stderr.splitlines() if line.startswith("expected Python"))


def old_import() -> str:
    command = [sys.executable, "-c", "import environments"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stderr.splitlines()[-1]


def left_out(folder: Path) -> list[str]:
    for name in ("one", "two"):
        (folder / name).mkdir()
        (folder / name / "mine.py").write_text(A_BRICK.format("a_double", "2 * number"))
    (folder / "one" / "exits.py").write_text("raise SystemExit(1)")
    named = map(str, (BROKEN, folder / "one", folder / "two", "no/such/folder"))
    env = {**os.environ, "PYTHONPATH": str(ROOT), "RACES_BRICKS": os.pathsep.join(named)}
    done = subprocess.run([sys.executable, "-c", WARN], env=env, check=True, capture_output=True, text=True)
    return done.stderr.splitlines()


def out_of_time(folder: Path) -> str:
    (folder / "stuck").mkdir()
    (folder / "stuck" / "mine.py").write_text(A_BRICK.format("stuck", "sum(range(10**15))"))
    env = {**os.environ, "RACES_BRICKS": str(folder / "stuck")}
    command = [sys.executable, "-m", "races.environments", "stuck"]
    return subprocess.run(command, env=env, cwd=ROOT, check=False, capture_output=True, text=True).stderr.strip()


def of_settings(patch: pytest.MonkeyPatch, folder: Path) -> Iterator[str]:
    """Errors of environment variables that name what does not exist or is invalid."""
    patch.setenv("RACES_TRAIN_PYTHON", "/nowhere/python")
    yield message(interpreter.interpreter)
    patch.delenv("RACES_TRAIN_PYTHON")
    patch.setattr(interpreter, "ROOT", folder)  # a checkout without a virtual environment for training
    yield message(interpreter.interpreter)
    patch.setenv("RACES_RECIPES", str(folder / "none.toml"))
    yield message(lambda: entries("recipes"))
    patch.setenv("RACES_RECIPES", str(folder / "mine.toml"))
    for text in ("[recipe.mine]\n", "[parts.mine]\n"):
        (folder / "mine.toml").write_text(text)
        yield message(lambda: entries("recipes"))
    (folder / "mine.toml").write_text("[recipes.mine]\ndescription = 'Mine.'\nsizes = {single = [1]}\n")
    entry = entries("recipes")["mine"]
    fields = {"description": str, "total": int, "sizes": dict}
    yield message(lambda: entry.checked(fields, {"source": str, "seed": str}))
    (folder / "mine.toml").write_text("[recipes.mine]\ntaken_from = 'problems'\n")
    old = entries("recipes")["mine"]
    yield message(lambda: old.checked(fields, {"source": str, "seed": str}))
    patch.setenv("RACES_ENDPOINTS", str(folder / "none.toml"))
    yield message(endpoints)
    patch.setenv("RACES_BENCHMARKS", "no/benchmarks")
    yield message(local_copies.folder)
    patch.setenv("PATH", str(folder))
    yield message(lambda: Sandbox().__enter__())


def of_assets(folder: Path) -> Iterator[str]:
    """Errors of assets, partitions and tables that do not exist."""
    defs = definitions(str(folder / "store"))
    for wanted in ("trainin_sets:races_300", "training_sets", "training_sets:mine"):
        yield message(lambda wanted=wanted: asked([wanted], defs))  # type: ignore[misc]
    warehouse = Warehouse(root=str(folder / "store"))
    yield message(lambda: warehouse.read("problem_sets"))
    warehouse.write("problem_sets", pa.table({"x": [1]}), {"problem_set": "micro"})
    yield message(lambda: warehouse.read("problem_sets", {"problem_set": "mine"}))
    wrong = table(PathCounts, [{"matching": "loose", "size": 0, "paths": 1.0}])
    yield message(lambda: warehouse.write("path_counts", wrong, validator=PathCounts))
    store = ["--warehouse", str(folder / "store")]
    warehouse.write("problems", pa.table({"x": [1]}), {"operator": "sort"})
    yield races("query", "select count(*) from rollouts", *store)
    yield races("query", "problemz", *store)
    yield races("query", "problems", "--warehouse", "no/warehouse")
    warehouse.write(
        "training_sets",
        rows_of(folder, single.pose(get("digit_sum"), generator("row"), 1).as_dict()),
        {"recipe": "races_300"},
    )
    (folder / "out").mkdir()
    (folder / "out" / "thesis.tex").write_text("mine")
    yield races("export", "races_300", str(folder / "out"), *store)


def rows_of(folder: Path, *problems: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist([training_row(row, place) for place, row in enumerate(problems)], schema=VERL)


def of_rows(folder: Path) -> Iterator[str]:
    """Errors of a training set whose bricks have changed, or that is too small."""
    bricks = ("running_totals", "swap_halves", "neighbour_differences")
    row = make_problem("sort", [get(name) for name in bricks], 3, 0).as_dict()
    stale = row | {"truth": json.dumps(json.loads(row["truth"]) | {"fingerprints": ["0" * 16] * 3})}
    pq.write_table(rows_of(folder, stale), folder / "stale.parquet")
    pq.write_table(rows_of(folder, row), folder / "few.parquet")
    yield message(lambda: checked_rows([folder / "stale.parquet"]))
    yield message(lambda: compute_score("races/sort", row["answer"], stale["truth"]))
    config, trainer = RUNS["micro"].training("model"), TorchTrainer(TorchSettings())
    yield message(lambda: trainer.check(config, [folder / "few.parquet"]))
    pq.write_table(rows_of(folder, *[row] * 16), folder / "rows.parquet")
    other = config.model_copy(update={"mini_batch": 5})
    yield message(lambda: trainer.check(other, [folder / "rows.parquet"]))
    yield message(lambda: TrainingConfig(**config.model_dump(), lerning_rate=1e-4))


def locked(folder: Path) -> str:
    file = str(folder / "some.duckdb")
    with duckdb.connect(file):
        command = [sys.executable, "-c", f"import duckdb; duckdb.connect({file!r})"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr.splitlines()[-1].partition(": ")[2]


def unanswered() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        return message(lambda: listed(address, "model", "", 2))


def test_the_page_shows_every_message_as_it_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    got = [
        wrong_python(tmp_path),
        old_import(),
        *left_out(tmp_path),
        out_of_time(tmp_path),
        races("show", "digit_summ"),
        races("compose", "run_lengths", "digit_sum"),
        *of_assets(tmp_path),
        *of_rows(tmp_path),
        locked(tmp_path),
        unanswered(),
        *of_settings(monkeypatch, tmp_path),
    ]
    shown = [each for each in blocks(PAGE) if not each.info]
    missing = [each for each in got if not any(agrees(each, block.text) for block in shown)]
    assert not missing, "the page does not show:\n" + "\n".join(missing)
    stale = [block.text for block in shown if not any(agrees(each, block.text) for each in got)]
    assert not stale, "nothing says any more:\n" + "\n".join(stale)
    assert {block.info for block in blocks(PAGE)} == {"", "seen"}
