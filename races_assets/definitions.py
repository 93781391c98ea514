"""Everything that Dagster serves: the assets of every layer, their checks and the resources that they use."""

import os
from pathlib import Path

import dagster as dg

from races_assets import (
    audits,
    automation,
    benchmark_overlap,
    benchmark_reports,
    benchmark_scores,
    benchmarks,
    changes,
    checks,
    experiment,
    figures,
    heldout,
    paths,
    pool,
    problems,
    reports,
    training,
    type_graph,
)
from races_assets.known_tables import asking
from races_assets.schemas import MODELS
from resources.io_manager import WarehouseIOManager
from resources.training.store import TrainingStore
from resources.warehouse import Warehouse

ROOT = Path(__file__).parents[1]


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
                    *(pool, audits, changes, type_graph, figures, paths, problems, training, heldout, experiment),
                    *(benchmarks, benchmark_scores, benchmark_reports, benchmark_overlap, reports),
                ]
            )
        ),
        asset_checks=dg.load_asset_checks_from_modules([checks]),
        schedules=[audits.nightly_audit, automation.nightly_rebuild],
        sensors=[automation.notice_edits, automation.rebuild_what_changed],
        resources={
            "warehouse": warehouse,
            "io_manager": WarehouseIOManager(warehouse, MODELS, asking),
            "training_store": TrainingStore(root=models_and_runs or str(Path(root).parent / "training")),
        },
        executor=dg.in_process_executor,
    )


defs = definitions(warehouse_root(), training_root())
