"""Training runs: their metrics, a sample of their rollouts, and their checkpoints."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import dagster as dg
import pyarrow as pa
from pydantic import Field

from races.assets.catalog.partitions import RUNS_OF_MODEL, RUNS_OF_RECIPE, TRAINED
from races.assets.catalog.runs import RUNS
from races.assets.defs.training.back_ends import back_end_of, base_folder
from races.assets.defs.training.run_rows import checkpoint_row, label, rewards, rollout_rows, shown_of
from races.assets.pictures import curve, examples
from races.assets.progress import report_progress
from races.assets.tables.columns import table
from races.assets.tables.training import Checkpoints, Rollouts, TrainingRuns
from races.assets.tags import IN_RUN
from races.resources.extras import check_extra
from races.resources.store.warehouse import Warehouse
from races.resources.training.config import TrainingConfig
from races.resources.training.store import TrainingStore
from races.resources.training.torch.trainer import TorchSettings
from races.resources.training.verl.config import VerlSettings

EXAMPLES = 3  # good and bad rollouts on the page of a run


class RunConfig(dg.Config):
    """What differs from the settings of the run, and where it runs."""

    settings: dict[str, Any] = Field({}, description="Fields of TrainingConfig that replace the run's own.")
    model: str = Field("", description="A Hugging Face folder or hub name instead of the run's model.")
    torch: TorchSettings = TorchSettings()
    verl: VerlSettings | None = Field(None, description="Instead of the run's own; only for verl.")


@dg.multi_asset(
    outs={
        name: dg.AssetOut(
            description=model.__doc__,
            kinds={"parquet"},
            code_version="1",
            tags=IN_RUN,
            metadata={"partition_dimension": "run"},
        )
        for name, model in (("training_runs", TrainingRuns), ("rollouts", Rollouts), ("checkpoints", Checkpoints))
    },
    deps=[
        dg.AssetDep("training_sets", partition_mapping=RUNS_OF_RECIPE),
        dg.AssetDep("base_models", partition_mapping=RUNS_OF_MODEL),
    ],
    partitions_def=TRAINED,
    pool="gpu",
)
def training(
    context: dg.AssetExecutionContext, config: RunConfig, warehouse: Warehouse, training_store: TrainingStore
) -> Iterator[dg.Output[pa.Table]]:
    """Train one run; what its folder holds of an earlier attempt with the same settings and rows is resumed."""
    check_extra("matplotlib", "report")  # else the picture of the rewards would fail after hours of training
    run = RUNS[context.partition_key]
    stored, content = warehouse.file("training_sets", {"recipe": run.recipe})
    model = config.model or base_folder(run, warehouse)
    settings = TrainingConfig(**{**run.training(model).model_dump(), **config.settings})
    folder = training_store.run_folder(run.name, settings, content)
    rows = training_store.pinned(stored, folder)
    with back_end_of(run, config.torch, config.verl, context, folder) as back_end:
        back_end.check(settings, [rows])
        trained = back_end.train(settings, [rows], folder, report_progress(context, "training_runs"))
    yield dg.Output(
        table(TrainingRuns, [asdict(each) for each in trained.metrics], "run"),
        "training_runs",
        metadata={
            "reward": dg.MetadataValue.md(curve(rewards(trained), "reward of each step").markdown),
            **label(run, model),
        },
    )
    kept = rollout_rows(trained, warehouse, run.recipe)
    yield dg.Output(
        table(Rollouts, kept, "run"), "rollouts", metadata={"examples": dg.MetadataValue.md(examples(kept, EXAMPLES))}
    )
    row = checkpoint_row(run, model, trained, settings.model_dump_json(), content)
    yield dg.Output(table(Checkpoints, [row], "run"), "checkpoints", metadata=label(run, model) | shown_of(row))
