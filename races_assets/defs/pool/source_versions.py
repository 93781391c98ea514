"""Versions of the bricks and of the files they come from: what tells whether tables made of them are out of date."""

import hashlib
from pathlib import Path

from races import environments as package
from races.environments import user_config
from races.environments.audit.cards import blind_records, speed_records
from races.environments.registry import pool, third_party_files
from races.environments.seeding import key_of
from races.environments.subpools import explicit_subpools
from races.environments.types import VOCABULARY
from races.resources.store.warehouse import Warehouse

FILES = "files"  # the metadata of an observation that tell whether a file has been edited since
MAX_NAMES = 20  # bricks that an observation names


def changed_bricks(warehouse: Warehouse) -> str:
    """The names of the bricks that differ from what `environments` has measured."""
    measured = {}
    if warehouse.exists("environments"):
        columns = warehouse.read("environments", columns=["name", "fingerprint"])
        measured = dict(zip(*(column.to_pylist() for column in columns.columns), strict=True))
    changed = [name for name, brick in pool().items() if measured.get(name) != brick.fingerprint]
    more = f" and {len(changed) - MAX_NAMES} more" if len(changed) > MAX_NAMES else ""
    return ", ".join(changed[:MAX_NAMES]) + more or "none"


def files_version() -> str:
    """A hash of all files that bricks may come from, as they are now, whatever this process has loaded."""
    root = Path(package.__file__).parent
    files = {
        path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.suffix in {".py", ".json", ".csv"}
    }
    files |= {str(path): path for path in third_party_files()}
    if (recipes := user_config.file()) and recipes.exists():  # sub-pools may be declared in it
        files[str(recipes)] = recipes
    return key_of([(name, hashlib.sha256(path.read_bytes()).hexdigest()) for name, path in sorted(files.items())])


def sources_version() -> str:
    """A hash of all that tables take from the code of bricks, as this process has loaded it."""
    bricks = [(each.name, each.theme, each.grade, each.fingerprint) for each in pool().values()]
    kinds = [(kind.name, kind.fingerprint) for kind in VOCABULARY.values()]
    return key_of(bricks, kinds, sorted(explicit_subpools().items()), blind_records(), speed_records())
