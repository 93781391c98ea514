"""The pool: every brick that this package and installed packages declare, by name."""

import ast
import pkgutil
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from races.environments import brick_files, themes
from races.environments.brick_files import FOLDERS
from races.environments.core import Environment, assign_host
from races.environments.errors import DeclarationError, UnknownName
from races.environments.isolation.trial_import import GROUP as ENTRY_POINTS
from races.environments.isolation.trial_import import Source, bricks_of, import_failures

LONGEST = 100  # characters of a name for which near ones are looked for


class Pool(Mapping[str, Environment]):
    """Bricks by name, in the order of their names; no two have the same."""

    def __init__(self, bricks: list[Environment], left_out: Iterable["Fault"] = ()) -> None:
        self._left_out = tuple(left_out)
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
        near = get_close_matches(str(name), self._bricks, n=3) if len(str(name)) <= LONGEST else []
        why = [f"; left out of the pool: {fault}" for fault in self._left_out if name in fault.bricks]
        hint = f": did you mean {', '.join(near)}?" if near and not why else ""
        raise UnknownName(f"the pool has no brick {name!r}{hint}{''.join(why)}")

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
    """A module of somebody's bricks that could not join the pool, or a brick of it: where it is and why.

    bricks: the names that are missing because of it, as far as they can be told.
    """

    source: str
    reason: str
    bricks: tuple[str, ...] = ()

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
    names = [each.name for each in pkgutil.walk_packages(themes.__path__, f"{themes.__name__}.") if not each.ispkg]
    ours = [brick for name in names for brick in bricks_of(import_module(name))]
    theirs, found = _foreign(names)
    taken = {brick.name: brick.function.__module__ for brick in ours}
    accepted = []
    for name in dict.fromkeys(brick.name for _, brick in theirs):
        claims = [(str(source), brick) for source, brick in theirs if brick.name == name]
        if name in taken:
            reason = f"expected a new name, got {name!r}, a brick of {taken[name]}"
            found += [Fault(place, reason, (name,)) for place, _ in claims]
        elif len(claims) > 1:
            # Which of them is meant cannot be told, and the order of folders must not decide what is right.
            places = " and in ".join(place for place, _ in claims)
            reason = f"expected one brick {name!r}, got {len(claims)}: in {places}"
            found += [Fault(place, reason, (name,)) for place in dict.fromkeys(place for place, _ in claims)]
        else:
            accepted.append(claims[0][1])
    for fault in found:
        warnings.warn(f"left out of the pool: {fault}", stacklevel=3)
    if accepted:
        from races.environments.isolation.guard import ThirdPartyHost  # a process without strangers needs no guard

        assign_host({brick.function.__module__ for brick in accepted}, ThirdPartyHost())
    else:
        assign_host((), None)
    return Pool([*ours, *accepted], found), tuple(found)


def _foreign(ours: Sequence[str]) -> tuple[list[tuple[Source, Environment]], list[Fault]]:
    """The bricks that are not ours with where they are from, and what cannot be loaded; ours: modules of our own."""
    sources, bricks, found = third_party_sources(), [], []
    empty = [folder for folder in brick_files.folders() if not any(folder.glob("*.py"))]
    found += [_nothing(folder) for folder in empty]
    wrong = import_failures(sources, ours) if sources else {}
    for source in sources:
        reason = wrong.get(source, "")
        if not reason:
            try:
                bricks += [(source, brick) for brick in bricks_of(source.load())]
            except (Exception, SystemExit) as error:  # noqa: BLE001  # somebody's module may fail here alone
                reason = f"{type(error).__name__}: {error}"
        if reason:
            found.append(Fault(str(source), reason, _names_in(source.file)))
    return bricks, found


def third_party_sources() -> list[Source]:
    """The modules of bricks that are not ours, in an order that depends on names alone."""
    points = sorted({(point.name, point.value) for point in entry_points(group=ENTRY_POINTS)})
    return [*[Source(point=point) for point in points], *[Source(file) for file in brick_files.files()]]


def _nothing(folder: Path) -> Fault:
    return Fault(str(folder), f"DeclarationError: expected a folder with Python files ({FOLDERS}), got {str(folder)!r}")


def _names_in(file: Path | None) -> tuple[str, ...]:
    """The functions of a file that was left out, whose names the pool may be asked for."""
    try:
        tree = ast.parse(file.read_bytes()) if file else ast.Module([], [])
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def get(name: str) -> Environment:
    """One brick; UnknownName with what was perhaps meant where there is none."""
    return pool()[name]


def third_party_files() -> list[Path]:
    """The files of the bricks that are not ours: those of RACES_BRICKS and the modules of entry points."""
    names = [point.module for point in entry_points(group=ENTRY_POINTS)]
    modules = [Path(file) for name in names if (file := getattr(sys.modules.get(name), "__file__", None))]
    return sorted([*(file for folder in brick_files.folders() for file in folder.glob("*.py")), *modules])
