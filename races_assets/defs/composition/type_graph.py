"""The composition space: types, which brick may follow which, and how many paths that gives."""

import dagster as dg
import pyarrow as pa

from races.assets.defs.composition.type_rows import type_row
from races.assets.pictures import type_graph_picture
from races.assets.tables.columns import table
from races.assets.tables.composition import PathCounts, TypeGraph, Types
from races.assets.tags import AUTO_REBUILD
from races.environments.composition.path import Matching
from races.environments.composition.type_graph import type_graph as graph_of
from races.environments.registry import pool
from races.environments.types import VOCABULARY

LONGEST = 12
BOTH: tuple[Matching, Matching] = ("exact", "subtype")


@dg.asset(deps=["environment_sources", "environments"], kinds={"parquet"}, code_version="1", tags=AUTO_REBUILD)
def types(context: dg.AssetExecutionContext) -> pa.Table:
    """One row per type of the vocabulary, with its producers, its consumers and its component in the type graph."""
    exact, subtype = (graph_of(pool(), matching) for matching in BOTH)
    components = subtype.components()
    picture = type_graph_picture((each.domain.name, each.codomain.name) for each in subtype.environments)
    context.add_output_metadata(
        {"largest_component": len(components[0]), "picture": dg.MetadataValue.md(picture.markdown)}
    )
    degrees = [graph.degrees() for graph in (exact, subtype)]
    return table(Types, [type_row(kind, exact, subtype, *degrees) for kind in VOCABULARY.values()])


@dg.asset(deps=["environments"], kinds={"parquet"}, code_version="1", tags=AUTO_REBUILD)
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


@dg.asset(deps=["environments"], kinds={"parquet"}, code_version="1", tags=AUTO_REBUILD)
def path_counts() -> pa.Table:
    """One row per kind of matching and length: how many sequences of bricks are type-correct."""
    rows = [
        {"matching": matching, "size": size, "paths": float(count)}
        for matching in BOTH
        for size, count in graph_of(pool(), matching).paths(LONGEST).items()
    ]
    return table(PathCounts, rows)
