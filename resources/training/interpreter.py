"""The Python that trains: verl pins packages that Dagster cannot share, so it has an environment of its own."""

import os
import sys
from pathlib import Path

import resources

ROOT = Path(resources.__file__).parents[1]
VARIABLE = "RACES_TRAIN_PYTHON"


def interpreter(setting: str = "") -> str:
    """The setting; else RACES_TRAIN_PYTHON; else what `make setup` made beside the packages; else this very Python."""
    made = ROOT / ".venv-train" / "bin" / "python"
    return setting or os.environ.get(VARIABLE) or (str(made) if made.exists() else sys.executable)


def variables() -> dict[str, str]:
    """What lets another interpreter import this project where it runs out of a checkout, and show what it prints."""
    found = {"PYTHONUNBUFFERED": "1"}
    if ROOT.name not in ("site-packages", "dist-packages"):
        found["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return found
