"""Where a user's copies of the benchmarks lie, and the hashes that they are pinned to.

RACES_BENCHMARKS names a folder with a folder for each benchmark, as `races benchmarks fetch` makes it, and `pins.json`
with the sha256 of each. Without it, or for a benchmark that is not in it, the invented miniature set stands in.
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
    """The folder of the user's copies; None where none is named. SettingError where it is not there."""
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
    """The sha256 that a benchmark's files must have; "" where it is not pinned."""
    return pins(MINI_FOLDER if path is None else path.parent).get(name, "")


def pins(place: Path) -> dict[str, str]:
    """The hashes in a folder, by benchmark."""
    file = place / PINS
    if not file.exists():
        return {}
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise SettingError(f"{file}: expected a JSON object of hashes, got {error}") from error
    if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        raise SettingError(f"{file}: expected a JSON object of hashes, got {type(found).__name__}")
    return found


def pin(name: str, place: Path) -> str:
    """Keep the hash that a benchmark's files in a folder have now; the hash."""
    found = digest(source_files(mini_path(name) if place == MINI_FOLDER else place / name))
    known = pins(place) | {name: found}
    write_text(place / PINS, json.dumps(known, indent=1, sort_keys=True) + "\n")
    return found


def checkout() -> str:
    """The checkout of Enigmata that RACES_ENIGMATA names; "" where it names none."""
    return os.environ.get(CHECKOUT, "")
