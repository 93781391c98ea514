"""Everything that Dagster serves: the assets of every group, their checks and the resources that they use."""

import importlib
import os
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg

from races.assets import automation, checks
from races.assets import defs as groups
from races.assets.tables.table_catalog import MODELS, query_context
from races.resources.store.io_manager import WarehouseIOManager
from races.resources.store.warehouse import Warehouse
from races.resources.training.store import TrainingStore

ROOT = Path(__file__).parents[2]


def warehouse_root() -> str:
    """The folder of the store: RACES_WAREHOUSE, or `warehouse` beside the packages."""
    return os.environ.get("RACES_WAREHOUSE", str(ROOT / "warehouse"))


def training_root() -> str:
    """The folder of models and runs: RACES_TRAINING, or `training` beside the warehouse."""
    return os.environ.get("RACES_TRAINING", "")


def grouped_assets() -> Iterator[Any]:
    """The assets of all modules below `defs`: each folder there is a group of the same name."""
    for group in pkgutil.iter_modules(groups.__path__):
        package = importlib.import_module(f"{groups.__name__}.{group.name}")
        yield from dg.load_assets_from_package_module(package, group_name=group.name)


def definitions(root: str, models_and_runs: str = "") -> dg.Definitions:
    """The definitions over the tables in a folder; models and runs lie in another, by default beside it."""
    warehouse = Warehouse(root=root)
    return dg.Definitions(
        assets=automation.automated(grouped_assets()),
        asset_checks=dg.load_asset_checks_from_modules([checks]),
        schedules=[automation.nightly_audit, automation.nightly_rebuild],
        sensors=[automation.notice_edits, automation.rebuild_what_changed],
        resources={
            "warehouse": warehouse,
            "io_manager": WarehouseIOManager(warehouse, MODELS, query_context),
            "training_store": TrainingStore(root=models_and_runs or str(Path(root).parent / "training")),
        },
        executor=dg.in_process_executor,
    )


defs = definitions(warehouse_root(), training_root())
