"""Bricks of other packages and folders join the pool, and broken ones leave the rest of it alone."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
OWN = ROOT / "tests/support/own_bricks"
TELL = """
import json, warnings
warnings.simplefilter("ignore")
from races.environments.registry import faults, pool
known = pool()
print(json.dumps({"names": list(known), "faults": [[fault.source, fault.reason] for fault in faults()]}))
"""


def python(code: str, path: list[Path], folders: str = "") -> str:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [*path, ROOT])), "RACES_BRICKS": folders}
    return subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True).stdout


def answer_of_items(path: list[Path], folders: str = "") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(python(TELL, path, folders))
    return found


def test_bricks_of_an_installed_package_join_the_pool() -> None:
    found = answer_of_items([OWN])
    assert {"distance_from_peak", "number_of_the_form_six_n_plus_five", "digit_sum"} <= set(found["names"])
    assert found["faults"] == []


def test_bricks_of_a_folder_join_the_pool_and_are_run_in_the_guard(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text((OWN / "my_bricks.py").read_text())
    code = """
from races.environments import get
from races.environments.isolation.guard import Guard
from races.environments.composition.path import compose
brick = get("distance_from_peak")
print(compose(brick, get("running_totals"))((1, 5, 3)), Guard().run(brick, (1, 5, 3)).value, len(brick.fingerprint))
"""
    assert python(code, [], str(tmp_path)).strip() == "(4, 4, 6) (4, 0, 2) 16"


def test_what_is_broken_is_named_with_file_and_brick_and_the_rest_stands() -> None:
    found = answer_of_items([], os.pathsep.join([str(OWN / "broken"), "no/such/folder"]))
    reasons = {Path(source).name: reason for source, reason in found["faults"]}
    assert "'digit_sum', a brick of races.environments.themes.numbers.arithmetic" in reasons["clash.py"]
    assert "silent_brick: expected a docstring" in reasons["undocumented.py"]
    assert "brick_over_floats: expected a type of the vocabulary" in reasons["unknown_type.py"]
    assert "No module named 'a_module_that_is_not_there'" in reasons["missing_import.py"]
    assert "expected a folder with Python files" in reasons["folder"]
    assert "number_and_four" in found["names"]
    assert "silent_brick" not in found["names"]


def test_own_bricks_can_be_audited() -> None:
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-c",
        "from races.assets.cli import main; main()",
        "audit",
        "distance_from_peak",
    ]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [OWN, ROOT]))}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert "bricks: 1, with faults: 0, without an oracle: 1" in done.stdout
    assert done.returncode == 0
