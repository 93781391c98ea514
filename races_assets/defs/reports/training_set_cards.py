"""A card for each training set, in a folder that a hub of data sets takes."""

import dagster as dg

from races.assets.catalog.partitions import SETS
from races.assets.catalog.recipes import RECIPES
from races.assets.defs.reports.dataset_cards import export, without_front_matter
from races.assets.defs.reports.report_files import folder_of, written
from races.assets.tags import IN_RUN
from races.resources.store.warehouse import Warehouse


@dg.asset(
    partitions_def=SETS,
    deps=["training_sets"],
    kinds={"markdown", "huggingface"},
    code_version="1",
    tags=IN_RUN,
)
def training_set_cards(context: dg.AssetExecutionContext, warehouse: Warehouse) -> dg.MaterializeResult:  # type: ignore[type-arg]
    """A folder per training set as a hub of data sets takes it: its rows in Parquet, and README.md, its card."""
    recipe = RECIPES[context.partition_key]
    folder = folder_of(warehouse) / "training_sets" / recipe.name
    text = export(warehouse, recipe, folder)
    return written(folder, text, without_front_matter(text))
