"""The composition space: types, which brick may follow which, and how many paths that gives."""

from random import Random
from typing import Any

import dagster as dg
import pyarrow as pa

from races.assets.defs.pool.environments import environment_sources
from races.assets.pictures import type_graph_picture
from races.assets.tables.schemas import PathCounts, TypeGraph, Types, table
from races.environments.composition.path import Matching
from races.environments.composition.type_graph import TypeGraph as Graph
from races.environments.composition.type_graph import type_graph as graph_of
from races.environments.registry import pool
from races.environments.types import VOCABULARY, Type

LONGEST = 12
Degrees = dict[str, tuple[int, int]]
BOTH: tuple[Matching, Matching] = ("exact", "subtype")


@dg.asset(deps=[environment_sources, "environments"], group_name="composition", kinds={"parquet"}, code_version="1")
def types(context: dg.AssetExecutionContext) -> pa.Table:
    """One row per type of the vocabulary, with its producers, its consumers and its component in the type graph."""
    exact, subtype = (graph_of(pool(), matching) for matching in BOTH)
    components = subtype.components()
    picture = type_graph_picture((each.domain.name, each.codomain.name) for each in subtype.environments)
    context.add_output_metadata(
        {"largest_component": len(components[0]), "picture": dg.MetadataValue.md(picture.markdown)}
    )
    degrees = [graph.degrees() for graph in (exact, subtype)]
    return table(Types, [_type_row(kind, exact, subtype, *degrees) for kind in VOCABULARY.values()])


def _type_row(kind: Type[Any], exact: Graph, subtype: Graph, exactly: Degrees, widely: Degrees) -> dict[str, Any]:
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


def _component(kind: Type[Any], graph: Graph) -> int:
    return next((number for number, each in enumerate(graph.components()) if kind in each), -1)


@dg.asset(deps=["environments"], group_name="composition", kinds={"parquet"}, code_version="1")
def type_graph(context: dg.AssetExecutionContext) -> pa.Table:
    """One row per ordered pair of bricks of which the second may follow the first."""
    graph = graph_of(pool())
    rows = [
        {
            "first": first.name,
            "second": graph.environments[index].name,
            "codomain": first.codomain.name,
            "domain": graph.environments[index].domain.name,
            "exact": first.codomain is graph.environments[index].domain,
        }
        for first, followers in zip(graph.environments, graph.followers, strict=True)
        for index in followers
    ]
    context.add_output_metadata({"exact": sum(row["codomain"] == row["domain"] for row in rows)})
    return table(TypeGraph, rows)


@dg.asset(deps=["environments"], group_name="composition", kinds={"parquet"}, code_version="1")
def path_counts() -> pa.Table:
    """One row per kind of matching and length: how many sequences of bricks are type-correct."""
    rows = [
        {"matching": matching, "size": size, "paths": float(count)}
        for matching in BOTH
        for size, count in graph_of(pool(), matching).paths(LONGEST).items()
    ]
    return table(PathCounts, rows)
