"""The Python that trains: verl pins packages that Dagster cannot share, so it has an environment of its own."""

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from races.environments.errors import SettingError

ROOT = Path(__file__).parents[3]
VARIABLE = "RACES_TRAIN_PYTHON"


def interpreter(setting: str = "") -> str:
    """The setting; else RACES_TRAIN_PYTHON; else what `make setup` made beside the packages; else this very Python.

    SettingError where there is no such program, or where this very Python has no torch.
    """
    made = ROOT / ".venv-train" / "bin" / "python"
    if named := setting or os.environ.get(VARIABLE, ""):
        if shutil.which(named) is None:
            raise SettingError(f"expected the Python that trains at {named}, got no program ({VARIABLE}, or a setting)")
        return named
    if made.exists():
        return str(made)
    if find_spec("torch") is None:
        raise SettingError(f"expected the Python that trains at {made} or named by {VARIABLE}, got none: make setup")
    return sys.executable


def variables() -> dict[str, str]:
    """What lets another interpreter import this project where it runs out of a checkout, and show what it prints.

    It imports nothing from the working directory, where a `random.py` may lie.
    """
    found = {"PYTHONUNBUFFERED": "1", "PYTHONSAFEPATH": "1"}
    if ROOT.name not in ("site-packages", "dist-packages"):
        # An empty entry would mean the working directory again.
        inherited = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
        found["PYTHONPATH"] = os.pathsep.join([str(ROOT), *inherited])
    return found
