"""Which version of names a warehouse has: `version.json` in its root, written together with the first table.

Version 1 has no such file. resources/store/migrations.py says what later versions changed.
"""

import json
from pathlib import Path

from races.resources.atomic import write_text
from races.resources.store.folders import IDENTIFIER, WarehouseError, has_files

VERSION = 2
VERSION_FILE = "version.json"


def stored_layout(root: Path) -> int | None:
    """The version of a warehouse; None where it has no table yet. WarehouseError where the file cannot be read."""
    if (version := _noted(root)) is not None:
        return version
    folders = (each for each in root.iterdir() if IDENTIFIER.fullmatch(each.name)) if root.is_dir() else ()
    if not any(each.is_dir() and has_files(each) for each in folders):
        return None
    return _noted(root) or 1  # it may have been written since it was looked for


def check_layout(root: Path) -> None:
    """WarehouseError where tables and columns of a warehouse have other names than this code reads."""
    version = stored_layout(root)
    if version is not None and version < VERSION:
        raise WarehouseError(
            f"expected a warehouse of version {VERSION}, got version {version} in {root}, whose tables and columns "
            f"have older names; to rename them: races migrate --warehouse {root}"
        )
    if version is not None and version > VERSION:
        raise WarehouseError(
            f"expected a warehouse of version {VERSION}, got version {version} in {root}: update races"
        )


def note_layout(root: Path) -> None:
    """Note in a warehouse that its names are those of this code."""
    if _noted(root) != VERSION:
        root.mkdir(parents=True, exist_ok=True)
        write_text(root / VERSION_FILE, json.dumps({"version": VERSION}) + "\n")


def _noted(root: Path) -> int | None:
    try:
        return int(json.loads((root / VERSION_FILE).read_text(encoding="utf-8"))["version"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WarehouseError(f"cannot read {root / VERSION_FILE}: {error}") from error
