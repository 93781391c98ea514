"""The pool: every brick that this package and installed packages declare, by name."""

import ast
import pkgutil
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from races.environments import brick_files, themes
from races.environments.brick_files import FOLDERS
from races.environments.core import Environment, assign_host
from races.environments.errors import DeclarationError, UnknownName, did_you_mean
from races.environments.isolation.trial_import import GROUP as ENTRY_POINTS
from races.environments.isolation.trial_import import Source, bricks_of, import_failures


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
        why = [f"; left out of the pool: {fault}" for fault in self._left_out if name in fault.bricks]
        question = "" if why else did_you_mean(str(name), self._bricks, before=": ")
        raise UnknownName(f"the pool has no brick {name!r}{question}{''.join(why)}")

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
    """A third-party module that could not join the pool, or a brick of it.

    source: the file or the entry point.
    reason: why it could not join.
    bricks: names that are missing because of it, as far as they can be told.
    """

    source: str
    reason: str
    bricks: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.source}: {self.reason}"


@lru_cache(maxsize=1)
def pool() -> Pool:
    """Every brick: of the themes here, of modules that packages name as `races.environments`, and of RACES_BRICKS.

    RACES_BRICKS lists folders (separated as in PATH) whose Python files are loaded. A file or a brick that cannot be
    used is left out with a warning, and `faults()` returns it; the rest of the pool is loaded.

    Examples:
        >>> import races
        >>> "digit_sum" in races.pool()
        True
        >>> [brick for brick in races.pool().values() if f"{brick.domain} -> {brick.codomain}" == "Date -> Nat"]
        [<day_of_year: Date -> Nat>]
    """
    return _loaded()[0]


def faults() -> tuple[Fault, ...]:
    """What was left out of the pool, and why."""
    return _loaded()[1]


@lru_cache(maxsize=1)
def _loaded() -> tuple[Pool, tuple[Fault, ...]]:
    names = [each.name for each in pkgutil.walk_packages(themes.__path__, f"{themes.__name__}.") if not each.ispkg]
    own = [brick for name in names for brick in bricks_of(import_module(name))]
    theirs, found = _third_party(names)
    taken = {brick.name: brick.function.__module__ for brick in own}
    accepted = []
    for name in dict.fromkeys(brick.name for _, brick in theirs):
        claims = [(str(source), brick) for source, brick in theirs if brick.name == name]
        if name in taken:
            reason = f"expected a new name, got {name!r}, a brick of {taken[name]}"
            found += [Fault(place, reason, (name,)) for place, _ in claims]
        elif len(claims) > 1:
            # Nothing says which of them is meant, and the order of folders must not decide.
            places = " and in ".join(place for place, _ in claims)
            reason = f"expected one brick {name!r}, got {len(claims)}: in {places}"
            found += [Fault(place, reason, (name,)) for place in dict.fromkeys(place for place, _ in claims)]
        else:
            accepted.append(claims[0][1])
    for fault in found:
        warnings.warn(f"left out of the pool: {fault}", stacklevel=3)
    if accepted:
        from races.environments.isolation.guard import ThirdPartyHost  # not needed, and not imported, without them

        assign_host({brick.function.__module__ for brick in accepted}, ThirdPartyHost())
    else:
        assign_host((), None)
    return Pool([*own, *accepted], found), tuple(found)


def _third_party(own_modules: Sequence[str]) -> tuple[list[tuple[Source, Environment]], list[Fault]]:
    """Third-party bricks with where they are from, and what could not be loaded."""
    sources, bricks, found = third_party_sources(), [], []
    empty = [folder for folder in brick_files.folders() if not any(folder.glob("*.py"))]
    found += [_empty_folder(folder) for folder in empty]
    wrong = import_failures(sources, own_modules) if sources else {}
    for source in sources:
        reason = wrong.get(source, "")
        if not reason:
            try:
                bricks += [(source, brick) for brick in bricks_of(source.load())]
            except (Exception, SystemExit) as error:  # noqa: BLE001  # a third-party module may fail in this process alone
                reason = f"{type(error).__name__}: {error}"
        if reason:
            found.append(Fault(str(source), reason, _names_in(source.file)))
    return bricks, found


def third_party_sources() -> list[Source]:
    """Third-party modules of bricks, in an order that depends on names alone."""
    points = sorted({(point.name, point.value) for point in entry_points(group=ENTRY_POINTS)})
    return [*[Source(point=point) for point in points], *[Source(file) for file in brick_files.files()]]


def _empty_folder(folder: Path) -> Fault:
    return Fault(str(folder), f"DeclarationError: expected a folder with Python files ({FOLDERS}), got {str(folder)!r}")


def _names_in(file: Path | None) -> tuple[str, ...]:
    """The functions of a file that was left out: names that the pool may be asked for."""
    try:
        tree = ast.parse(file.read_bytes()) if file else ast.Module([], [])
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def get(name: str) -> Environment:
    """One brick by name; UnknownName, with near names, where there is none.

    Examples:
        >>> import races
        >>> races.get("digit_sum")
        <digit_sum: Nat -> SmallNat>
        >>> races.get("digitsum")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        races.environments.errors.UnknownName: the pool has no brick 'digitsum': did you mean digit_sum, ...
    """
    return pool()[name]


def third_party_files() -> list[Path]:
    """The files of third-party bricks: those of RACES_BRICKS and the modules of entry points."""
    names = [point.module for point in entry_points(group=ENTRY_POINTS)]
    modules = [Path(file) for name in names if (file := getattr(sys.modules.get(name), "__file__", None))]
    return sorted([*(file for folder in brick_files.folders() for file in folder.glob("*.py")), *modules])
