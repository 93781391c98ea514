"""Python files outside of every package, identified by where they lie: those of the folders that RACES_BRICKS lists.

Each folder is a package of its own, named after its full path, so that two files of one name are two modules, in this
process and in every other on this machine, and a file may take helpers from beside it (`from .helpers import ...`).
"""

import hashlib
import os
import sys
from functools import lru_cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from races.environments.errors import DeclarationError

FOLDERS = "RACES_BRICKS"


def folders() -> tuple[Path, ...]:
    """The folders that RACES_BRICKS lists, separated as in PATH; each once, whatever it is called there."""
    return _folders(os.environ.get(FOLDERS, ""))


@lru_cache(maxsize=8)
def _folders(listed: str) -> tuple[Path, ...]:
    # Cached, since a relative folder is meant from where the process was when it first asked.
    return tuple(dict.fromkeys(Path(folder).expanduser().resolve() for folder in listed.split(os.pathsep) if folder))


def files() -> list[Path]:
    """The Python files in these folders, each once, also where links lead to it; in the order of folders and names."""
    found = [file for folder in folders() for file in sorted(folder.glob("*.py"))]
    return list({file.resolve(): file for file in reversed(found)}.values())[::-1]


def name_of(file: Path) -> str:
    """The module that a file is: as source.public_name reads it."""
    package = hashlib.sha256(str(file.parent).encode(errors="surrogateescape")).hexdigest()[:16]
    stem = file.stem
    if "." in stem:  # module names have no dots; the hash keeps `a.b.py` apart from `a_b.py`
        stem = f"{stem.replace('.', '_')}_{hashlib.sha256(stem.encode(errors='surrogateescape')).hexdigest()[:8]}"
    return f"races_bricks_{package}.{stem}"


def load(file: Path) -> ModuleType:
    """The module of a file, which stays known by its name, so that its source and its bricks can be found."""
    name = name_of(file)
    if name in sys.modules:  # another file has imported it
        return sys.modules[name]
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise DeclarationError(f"expected a Python file, got {file}")
    package = name.partition(".")[0]
    if package not in sys.modules:
        sys.modules[package] = ModuleType(package, "A folder of bricks.")
        sys.modules[package].__path__ = [str(file.parent)]
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
