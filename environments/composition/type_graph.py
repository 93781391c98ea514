"""Which bricks may follow which, how many type-correct paths that gives, and which types reach one another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from races.environments.composition.path import Matching, fits
from races.environments.core import Environment
from races.environments.types import Type


@dataclass(frozen=True)
class TypeGraph:
    """The bricks of a pool as a graph: an edge from a to b where a's codomain fits b's domain and a is not terminal."""

    environments: tuple[Environment, ...]
    matching: Matching
    followers: tuple[tuple[int, ...], ...]  # for each brick the indices of those that may come next

    @property
    def edges(self) -> int:
        """The number of ordered pairs that fit."""
        return sum(map(len, self.followers))

    def paths(self, longest: int) -> dict[int, int]:
        """For each length from 1 the number of type-correct sequences of bricks, repetitions included."""
        counts = [1] * len(self.environments)
        found = {}
        for length in range(1, longest + 1):
            found[length] = sum(counts)
            counts = [sum(counts[after] for after in row) for row in self.followers]
        return found

    def components(self) -> list[list[Type[Any]]]:
        """The strongly connected components of the types: bricks lead from domain to codomain, subtyping upwards."""
        reach = self._reach()
        left = sorted(reach, key=lambda each: each.name)
        found = []
        while left:
            first = left[0]
            component = [other for other in left if other is first or (other in reach[first] and first in reach[other])]
            found.append(component)
            left = [other for other in left if other not in component]
        return sorted(found, key=len, reverse=True)

    def _reach(self) -> dict[Type[Any], set[Type[Any]]]:
        near: dict[Type[Any], set[Type[Any]]] = {}
        for each in self.environments:
            near.setdefault(each.domain, set()).add(each.codomain)
            near.setdefault(each.codomain, set())
        if self.matching == "subtype":
            for kind in near:
                near[kind] |= {wide for wide in kind.supertypes() if wide in near and wide is not kind}
        reach = {}
        for kind in near:
            seen, queue = set(near[kind]), list(near[kind])
            while queue:
                fresh = near[queue.pop()] - seen
                seen |= fresh
                queue += fresh
            reach[kind] = seen
        return reach

    def degrees(self) -> dict[str, tuple[int, int]]:
        """For each type that occurs the number of bricks that may produce a value for it, and that may consume one."""
        kinds: dict[str, Type[Any]] = {}
        for each in self.environments:
            kinds |= {each.domain.name: each.domain, each.codomain.name: each.codomain}
        return {
            name: (
                sum(fits(each.codomain, kind, self.matching) for each in self.environments),
                sum(fits(kind, each.domain, self.matching) for each in self.environments),
            )
            for name, kind in sorted(kinds.items())
        }


def type_graph(
    environments: Mapping[str, Environment] | Sequence[Environment], matching: Matching = "subtype"
) -> TypeGraph:
    """The type graph of some bricks under exact or subtype matching."""
    bricks = tuple(environments.values() if isinstance(environments, Mapping) else environments)
    followers = tuple(
        () if first.terminal else tuple(i for i, e in enumerate(bricks) if fits(first.codomain, e.domain, matching))
        for first in bricks
    )
    return TypeGraph(bricks, matching, followers)
