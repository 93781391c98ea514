"""The user's local copies of the benchmarks, and the hashes that they are pinned to.

RACES_BENCHMARKS names a folder with one subfolder per benchmark, as `races benchmarks fetch` creates it, and
`pins.json` with the sha256 of each. A benchmark without a copy is replaced by its invented miniature set.
"""

import json
import os
from pathlib import Path

from races.environments.errors import SettingError
from races.resources.atomic import write_text
from races.resources.evaluation.suites.datasets import MINI_FOLDER, benchmark, digest, mini_path, source_files

VARIABLE, CHECKOUT = "RACES_BENCHMARKS", "RACES_ENIGMATA"
PINS = "pins.json"


def folder() -> Path | None:
    """The folder of the user's copies; None where the variable is unset. SettingError where there is no such folder."""
    named = os.environ.get(VARIABLE, "")
    if not named:
        return None
    found = Path(named).expanduser()
    if not found.is_dir():
        raise SettingError(f"{VARIABLE}: expected a folder, got {named}")
    return found.resolve()


def path_of(name: str) -> Path | None:
    """The user's copy of a benchmark; None where there is none."""
    found = folder()
    copy = found / benchmark(name).name if found else None
    return copy if copy and copy.is_dir() else None


def pinned(name: str, path: Path | None) -> str:
    """The sha256 that a benchmark is pinned to; "" where it is not pinned."""
    return pins(MINI_FOLDER if path is None else path.parent).get(name, "")


def pins(folder: Path) -> dict[str, str]:
    """The pinned hashes in a folder, by benchmark."""
    file = folder / PINS
    if not file.exists():
        return {}
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise SettingError(f"{file}: expected a JSON object of hashes, got {error}") from error
    if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        raise SettingError(f"{file}: expected a JSON object of hashes, got {type(found).__name__}")
    return found


def pin(name: str, folder: Path) -> str:
    """Pin a benchmark to the current hash of its files in a folder; returns the hash."""
    found = digest(source_files(mini_path(name) if folder == MINI_FOLDER else folder / name))
    hashes = pins(folder) | {name: found}
    write_text(folder / PINS, json.dumps(hashes, indent=1, sort_keys=True) + "\n")
    return found


def checkout() -> str:
    """The checkout of Enigmata that RACES_ENIGMATA names; "" where it is unset."""
    return os.environ.get(CHECKOUT, "")
