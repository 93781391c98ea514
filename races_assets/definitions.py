"""Everything that Dagster serves: the assets of every layer, their checks and the resources that they use."""

import os
from pathlib import Path

import dagster as dg

from races_assets import checks, figures, paths, pool, problems, type_graph
from races_assets.schemas import MODELS
from resources.io_manager import WarehouseIOManager
from resources.warehouse import Warehouse

ROOT = Path(__file__).parents[1]


def warehouse_root() -> str:
    """The folder of the store: RACES_WAREHOUSE, or `warehouse` beside the packages."""
    return os.environ.get("RACES_WAREHOUSE", str(ROOT / "warehouse"))


def definitions(root: str) -> dg.Definitions:
    """The definitions over the store in a folder."""
    warehouse = Warehouse(root=root)
    return dg.Definitions(
        assets=dg.load_assets_from_modules([pool, type_graph, figures, paths, problems]),
        asset_checks=dg.load_asset_checks_from_modules([checks]),
        resources={"warehouse": warehouse, "io_manager": WarehouseIOManager(warehouse, MODELS)},
        executor=dg.in_process_executor,
    )


defs = definitions(warehouse_root())
