"""The pool: every brick that this package and installed packages declare, by name."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from importlib.metadata import entry_points
from types import ModuleType

from environments import themes
from environments.core import Environment
from environments.errors import DeclarationError, UnknownName

ENTRY_POINTS = "races.environments"


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


@lru_cache(maxsize=1)
def pool() -> Pool:
    """Every brick: those of the themes here and those of the modules that packages name as `races.environments`."""
    modules = [
        importlib.import_module(f"{themes.__name__}.{each.name}") for each in pkgutil.iter_modules(themes.__path__)
    ]
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda each: each.name):
        loaded = point.load()
        if not isinstance(loaded, ModuleType):
            raise DeclarationError(f"entry point {point.name!r} of {ENTRY_POINTS}: expected a module, got {loaded!r}")
        modules.append(loaded)
    return Pool([brick for module in modules for brick in bricks_of(module)])


def bricks_of(module: ModuleType) -> list[Environment]:
    """The bricks that a module declares itself; those that it imports are left out."""
    declared = [value for value in vars(module).values() if isinstance(value, Environment)]
    return [brick for brick in declared if brick.function.__module__ == module.__name__]


def get(name: str) -> Environment:
    """One brick; UnknownName with what was perhaps meant where there is none."""
    return pool()[name]
