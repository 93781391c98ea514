"""Other distributions install top-level packages `environments` and `resources`, as nemo-gym does."""

import json
import os
import shutil
import subprocess
import sysconfig
from importlib import import_module
from pathlib import Path
from typing import Any
from venv import EnvBuilder

import pytest

from races import get

ROOT = Path(__file__).parents[2]
METADATA = "Metadata-Version: 2.1\nName: other-gym\nVersion: 1.0\n"
# A brick file of somebody who uses that distribution. It runs in the guard's child process.
BRICK = '''
import environments
import resources
from races.environments import environment
from races.environments.types import Nat


@environment()
def shifted_by_theirs(number: Nat) -> Nat:
    """Add to the number 1000."""
    return number + environments.SHIFT + resources.SHIFT
'''
SCRIPT = """
import json
import environments
from races import get
from races.environments.isolation.guard import Guard
from races.resources.processes.worker_pool import Workers
from tests.environments.test_name_collisions import own_and_theirs

guard = Guard()
chain = [("digit_sum", ""), ("shifted_by_theirs", "")]
with Workers(1) as workers:
    (worker,) = workers.map(own_and_theirs, ["digit_sum"])
print(json.dumps({
    "brick": get("digit_sum")(472),
    "theirs": environments.__file__,
    "guard": guard.run_chain(chain, "Nat", "472").text,
    "worker": worker,
}))
guard.close()
"""


def own_and_theirs(name: str) -> list[Any]:
    """In a worker process: the answer of a brick, and whose `environments` is at the top level."""
    theirs = import_module("environments")
    return [get(name)(472), theirs.__file__]


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """A Python that finds what is installed here, and before it a distribution that owns both names."""
    venv = tmp_path / "venv"
    EnvBuilder(symlinks=True).create(venv)
    (site,) = venv.glob("lib/python*/site-packages")
    (site / "other_gym-1.0.dist-info").mkdir()
    (site / "other_gym-1.0.dist-info" / "METADATA").write_text(METADATA)
    (site / "installed.pth").write_text("\n".join([*sorted(installed_packages()), str(ROOT)]))
    for name, shift in (("environments", 999), ("resources", 1)):
        (site / name).mkdir()
        (site / name / "__init__.py").write_text(f"SHIFT = {shift}\n")
        # What ours would find in theirs if it looked there.
        for module in ("registry", "core", "guard_process", "processes", "store"):
            (site / name / f"{module}.py").write_text("raise ImportError('of another distribution')\n")
    return venv / "bin" / "python"


def installed_packages() -> set[str]:
    return {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}


def run(python: Path, script: str, bricks: Path) -> Any:
    """What a script prints in JSON, beside a folder of bricks."""
    env = os.environ | {"RACES_BRICKS": str(bricks)}
    command = [python, "-P", "-W", "ignore", "-c", script]
    done = subprocess.run(command, env=env, cwd=bricks, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_packages_of_the_same_names_that_come_first_change_nothing_here_nor_in_child_processes(
    python: Path, tmp_path: Path
) -> None:
    (tmp_path / "bricks").mkdir()
    (tmp_path / "bricks" / "shifted.py").write_text(BRICK)
    (theirs,) = map(str, python.parents[1].glob("lib/python*/site-packages/environments/__init__.py"))
    assert run(python, SCRIPT, tmp_path / "bricks") == {
        "brick": 13,
        "theirs": theirs,
        "guard": "1013",
        "worker": [13, theirs],
    }


def test_empty_folders_of_the_same_names_that_come_first_change_nothing(python: Path, tmp_path: Path) -> None:
    for name in ("environments", "resources"):
        (folder,) = python.parents[1].glob(f"lib/python*/site-packages/{name}")
        shutil.rmtree(folder)
        folder.mkdir()
    (tmp_path / "bricks").mkdir()
    script = (
        "from races import get; from races.resources.store.warehouse import Warehouse; print(get('digit_sum')(472))"
    )
    assert run(python, script, tmp_path / "bricks") == 13
