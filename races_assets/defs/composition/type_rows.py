"""Rows of the table `types`."""

from random import Random
from typing import Any

from races.environments.composition.type_graph import TypeGraph
from races.environments.types import Type

Degrees = dict[str, tuple[int, int]]


def type_row(
    kind: Type[Any], exact: TypeGraph, subtype: TypeGraph, exactly: Degrees, widely: Degrees
) -> dict[str, Any]:
    """The row of a type. exactly, widely: how many bricks produce and consume each type, by either matching."""
    produced, consumed = widely.get(kind.name, (0, 0))
    produced_exact, consumed_exact = exactly.get(kind.name, (0, 0))
    return {
        "name": kind.name,
        "noun": kind.noun,
        "notation": kind.notation,
        "wider": [wide.name for wide in kind.supertypes() if wide is not kind],
        "sink": kind.sink,
        "producers": produced,
        "consumers": consumed,
        "producers_exact": produced_exact,
        "consumers_exact": consumed_exact,
        "component": _component(kind, subtype),
        "component_exact": _component(kind, exact),
        "example_value": kind.dumps(kind.sample(Random(kind.name), 3)),
    }


def _component(kind: Type[Any], graph: TypeGraph) -> int:
    return next((number for number, each in enumerate(graph.components()) if kind in each), -1)
