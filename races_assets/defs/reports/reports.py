"""Reports to send around: a card for each training set, in a folder that a hub takes, and one HTML page."""

import hashlib
from pathlib import Path

import dagster as dg

from races.assets.catalog.partitions import SETS
from races.assets.catalog.recipes import RECIPES
from races.assets.defs.reports.dataset_cards import export, without_front_matter
from races.assets.defs.reports.report_page import page, preview, sections
from races.resources.store.folders import move_into_place, staging
from races.resources.store.warehouse import Warehouse

REPORT = "report.html"
# The file of a set holds a copy of its rows, so the folder lies beside the warehouse and not in it.
FOLDER = "reports"
# The last of the tables that the page reads: a line from each of them all would hide the others of the graph.
LAST = ("path_counts", "training_set_cards", "heldout_differences", "micro_experiment", "benchmark_report")


def folder_of(warehouse: Warehouse) -> Path:
    """The folder of reports: `reports` beside the warehouse."""
    return warehouse.folder.parent / FOLDER


def written(path: Path, text: str, shown: str) -> dg.MaterializeResult:  # type: ignore[type-arg]  # nothing is handed on
    """What Dagster is told of a page: where it is, what is in it, and whether it has changed."""
    version = hashlib.sha256(text.encode()).hexdigest()
    metadata = {"path": dg.MetadataValue.path(path), "preview": dg.MetadataValue.md(shown)}
    return dg.MaterializeResult(metadata=metadata, data_version=dg.DataVersion(version))


@dg.asset(
    partitions_def=SETS,
    deps=["training_sets"],
    group_name="reports",
    kinds={"markdown", "huggingface"},
    code_version="1",
)
def training_set_cards(context: dg.AssetExecutionContext, warehouse: Warehouse) -> dg.MaterializeResult:  # type: ignore[type-arg]
    """A folder per training set as a hub of data sets takes it: its rows in Parquet, and README.md, its card."""
    recipe = RECIPES[context.partition_key]
    folder = folder_of(warehouse) / "training_sets" / recipe.name
    text = export(warehouse, recipe, folder)
    return written(folder, text, without_front_matter(text))


@dg.asset(deps=LAST, group_name="reports", kinds={"html"}, code_version="1")
def report(warehouse: Warehouse) -> dg.MaterializeResult:  # type: ignore[type-arg]
    """One HTML page that loads nothing: pool, composition space, training sets, runs, held-out and benchmark scores."""
    found = sections(warehouse)
    text = page(found)
    folder = folder_of(warehouse)
    with staging(folder) as place:
        (place / REPORT).write_text(text, encoding="utf-8")
        move_into_place([(place / REPORT, folder / REPORT)])
    return written(folder / REPORT, text, preview(found))
