"""Everything that Dagster serves: the assets of every layer, their checks and the resources that they use."""

import os
from pathlib import Path

import dagster as dg

from races.assets import automation, checks
from races.assets.defs.benchmarks import overlap, paper, samples, scores
from races.assets.defs.composition import search_comparison, type_graph
from races.assets.defs.datasets import problems
from races.assets.defs.evaluation import heldout, micro_experiment
from races.assets.defs.paths import paths
from races.assets.defs.pool import audits, changes, environments
from races.assets.defs.reports import reports
from races.assets.defs.training import training
from races.assets.tables.schemas import MODELS
from races.assets.tables.table_catalog import query_context
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


def definitions(root: str, models_and_runs: str = "") -> dg.Definitions:
    """The definitions over the tables in a folder; models and runs lie in another, by default beside it."""
    warehouse = Warehouse(root=root)
    return dg.Definitions(
        assets=automation.automated(
            dg.load_assets_from_modules(
                [
                    *(
                        environments,
                        audits,
                        changes,
                        type_graph,
                        search_comparison,
                        paths,
                        problems,
                        training,
                        heldout,
                        micro_experiment,
                    ),
                    *(samples, scores, paper, overlap, reports),
                ]
            )
        ),
        asset_checks=dg.load_asset_checks_from_modules([checks]),
        schedules=[audits.nightly_audit, automation.nightly_rebuild],
        sensors=[automation.notice_edits, automation.rebuild_what_changed],
        resources={
            "warehouse": warehouse,
            "io_manager": WarehouseIOManager(warehouse, MODELS, query_context),
            "training_store": TrainingStore(root=models_and_runs or str(Path(root).parent / "training")),
        },
        executor=dg.in_process_executor,
    )


defs = definitions(warehouse_root(), training_root())
