"""Training sets by recipe, in the columns that verl reads."""

import dagster as dg
import pyarrow as pa

from races.assets.catalog.partitions import SETS, SETS_OF_OPERATOR, SETS_OF_PROBLEM_SET
from races.assets.catalog.recipes import RECIPES, version_with
from races.assets.defs.datasets.recipe_rows import cell_counts, chosen_rows
from races.assets.tags import AUTO_REBUILD
from races.environments.operators.problem import training_row
from races.resources.store.warehouse import Warehouse
from races.resources.training.rows import VERL


@dg.asset(
    partitions_def=SETS,
    deps=[
        dg.AssetDep("problems", partition_mapping=SETS_OF_OPERATOR),
        dg.AssetDep("problem_sets", partition_mapping=SETS_OF_PROBLEM_SET),
    ],
    kinds={"parquet"},
    code_version=version_with(RECIPES, "1"),
    tags=AUTO_REBUILD,
    metadata={"partition_dimension": "recipe", "place_of_row": "extra_info.index"},
)
def training_sets(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per problem of a recipe, shuffled, in the columns that verl reads. A partition is a recipe."""
    recipe = RECIPES[context.partition_key]
    stored = (
        warehouse.dataset("problems")
        if recipe.source == "problems"
        else warehouse.dataset("problem_sets", {"problem_set": recipe.source})
    )
    chosen, short = chosen_rows(recipe, stored)
    context.add_output_metadata(
        {
            "recipe": recipe.description,
            "short_of": sum(short.values()),
            "cells": dg.MetadataValue.md(cell_counts(recipe, short)),
        }
    )
    return pa.Table.from_pylist([training_row(row, place) for place, row in enumerate(chosen)], schema=VERL)
