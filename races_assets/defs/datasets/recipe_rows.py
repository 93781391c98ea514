"""The rows of a recipe: which problems it takes, and in which order."""

from typing import Any

import pyarrow.compute as pc
import pyarrow.dataset as ds

from races.assets.catalog.recipes import Cell, Recipe
from races.environments.seeding import uniform

COLUMNS = ["id", "operator", "size", "level", "prompt", "truth", "environments", "path_id"]


def chosen_rows(recipe: Recipe, stored: ds.Dataset) -> tuple[list[dict[str, Any]], dict[Cell, int]]:
    """The rows of a recipe in their shuffled order, and for each cell how many it is short of."""
    rows: list[dict[str, Any]] = []
    short: dict[Cell, int] = {}
    for cell, count in recipe.cells().items():
        here = (pc.field("operator") == cell[0]) & (pc.field("size") == cell[1])
        found = stored.to_table(columns=COLUMNS, filter=here).to_pylist()
        found.sort(key=lambda row: uniform("choose", recipe.seed, recipe.name, row["id"]))
        rows += found[:count]
        if len(found) < count:
            short[cell] = count - len(found)
    rows.sort(key=lambda row: uniform("shuffle", recipe.seed, recipe.name, row["id"]))
    return rows, short


def cell_counts(recipe: Recipe, short: dict[Cell, int]) -> str:
    """Rows and wanted rows of each cell, as a Markdown table."""
    lines = [
        f"| {operator} | {size} | {count - short.get((operator, size), 0)} | {count} |"
        for (operator, size), count in recipe.cells().items()
    ]
    return "\n".join(["| operator | size | rows | wanted |", "| --- | --- | --- | --- |", *lines])
