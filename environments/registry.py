"""The pool: every brick that this package and installed packages declare, by name."""

import os
import pkgutil
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from environments import themes
from environments.core import Environment
from environments.errors import DeclarationError, UnknownName

ENTRY_POINTS = "races.environments"
FOLDERS = "RACES_BRICKS"


class Pool(Mapping[str, Environment]):
    """Bricks by name, in the order of their names; no two have the same."""

    def __init__(self, bricks: list[Environment]) -> None:
        self._bricks: dict[str, Environment] = {}
        for brick in sorted(bricks, key=lambda each: each.name):
            if brick.name in self._bricks:
                first, second = self._bricks[brick.name].function, brick.function
                raise DeclarationError(
                    f"expected one brick {brick.name!r}, got two: in {first.__module__} and in {second.__module__}"
                )
            self._bricks[brick.name] = brick

    def __getitem__(self, name: str) -> Environment:
        if name in self._bricks:
            return self._bricks[name]
        near = get_close_matches(str(name), self._bricks, n=3)
        raise UnknownName(f"the pool has no brick {name!r}" + (f": did you mean {', '.join(near)}?" if near else ""))

    def __iter__(self) -> Iterator[str]:
        return iter(self._bricks)

    def __len__(self) -> int:
        return len(self._bricks)

    def __contains__(self, name: object) -> bool:
        return name in self._bricks

    def only(self, *names: str) -> "Pool":
        """The pool of these bricks alone."""
        return Pool([self[name] for name in names])


@dataclass(frozen=True)
class Fault:
    """A module of somebody's bricks that could not join the pool, or a brick of it: where it is and why."""

    source: str
    reason: str

    def __str__(self) -> str:
        return f"{self.source}: {self.reason}"


@lru_cache(maxsize=1)
def pool() -> Pool:
    """Every brick: of the themes here, of modules that packages name as `races.environments`, and of RACES_BRICKS.

    RACES_BRICKS lists folders (separated as in PATH) whose Python files are loaded. What of theirs cannot be used is
    left out, warned of, and told by `faults()`; the rest of the pool stands.
    """
    return _loaded()[0]


def faults() -> tuple[Fault, ...]:
    """What could not join the pool."""
    return _loaded()[1]


@lru_cache(maxsize=1)
def _loaded() -> tuple[Pool, tuple[Fault, ...]]:
    names = [f"{themes.__name__}.{each.name}" for each in pkgutil.iter_modules(themes.__path__)]
    bricks = {
        brick.name: brick for brick in Pool([b for name in names for b in bricks_of(import_module(name))]).values()
    }
    found: list[Fault] = []
    for source, load in _foreign():
        try:
            fresh = Pool(bricks_of(load()))
        except Exception as error:  # noqa: BLE001  # somebody's module may fail in any way, and must not take the pool down
            found.append(Fault(source, f"{type(error).__name__}: {error}"))
            continue
        for name, brick in fresh.items():
            if name in bricks:
                found.append(
                    Fault(source, f"expected a new name, got {name!r}, a brick of {bricks[name].function.__module__}")
                )
            else:
                bricks[name] = brick
    for fault in found:
        warnings.warn(f"left out of the pool: {fault}", stacklevel=3)
    return Pool(list(bricks.values())), tuple(found)


def _foreign() -> Iterator[tuple[str, Callable[[], ModuleType]]]:
    """The modules of bricks that are not ours, by what names them, in an order that depends on names alone."""
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda each: each.name):
        yield f"entry point {point.name} = {point.value}", lambda point=point: _module(point.load())  # type: ignore[misc]
    for folder in filter(None, os.environ.get(FOLDERS, "").split(os.pathsep)):
        files = sorted(Path(folder).glob("*.py"))
        if not files:
            yield folder, lambda folder=folder: _nothing(folder)  # type: ignore[misc]
        for file in files:
            yield str(file), lambda file=file: _from_file(file)  # type: ignore[misc]


def _module(loaded: object) -> ModuleType:
    if not isinstance(loaded, ModuleType):
        raise DeclarationError(f"expected a module of bricks, got {loaded!r}")
    return loaded


def _nothing(folder: str) -> ModuleType:
    raise DeclarationError(f"expected a folder with Python files ({FOLDERS}), got {folder!r}")


def _from_file(file: Path) -> ModuleType:
    """A module from a file outside every package; it stays known by name, so that its source can be found."""
    name = f"races_bricks_{file.stem}"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise DeclarationError(f"expected a Python file, got {file}")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def bricks_of(module: ModuleType) -> list[Environment]:
    """The bricks that a module declares itself; those that it imports are left out."""
    declared = [value for value in vars(module).values() if isinstance(value, Environment)]
    return [brick for brick in declared if brick.function.__module__ == module.__name__]


def get(name: str) -> Environment:
    """One brick; UnknownName with what was perhaps meant where there is none."""
    return pool()[name]


def foreign_files() -> list[Path]:
    """The files of the bricks that are not ours: those of RACES_BRICKS and the modules of entry points."""
    found = [
        file for folder in os.environ.get(FOLDERS, "").split(os.pathsep) if folder for file in Path(folder).glob("*.py")
    ]
    names = [point.module for point in entry_points(group=ENTRY_POINTS)]
    found += [Path(file) for name in names if (file := getattr(sys.modules.get(name), "__file__", None))]
    return sorted(found)
