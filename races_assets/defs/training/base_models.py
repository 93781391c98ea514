"""The models that runs start from."""

from dataclasses import asdict

import dagster as dg
import pyarrow as pa
from pydantic import Field

from races.assets.catalog.models import BASE_MODELS
from races.assets.catalog.partitions import MODELS, MODELS_OF_PROBLEM_SET
from races.assets.progress import report_progress
from races.assets.tables.columns import table
from races.assets.tables.training import BaseModels
from races.assets.tags import IN_RUN
from races.resources.store.warehouse import Warehouse
from races.resources.training.models import folders
from races.resources.training.store import TrainingStore


class WarmUpConfig(dg.Config):
    """How a randomly initialised model is warmed up; the other models come as they are."""

    seed: int = Field(0, ge=0, description="Seed of its initial weights and of the order of its problems.")
    steps: int | None = Field(None, ge=1, description="Supervised steps at most; by default those of the model.")
    target: float | None = Field(
        None,
        gt=0,
        lt=1,
        description="Mean score of greedy answers at which the warm-up ends, a start for GRPO; by default the model's.",
    )
    threads: int = Field(1, ge=1, description="Threads of torch; small models are fastest with one.")


@dg.asset(
    partitions_def=MODELS,
    deps=[dg.AssetDep("problem_sets", partition_mapping=MODELS_OF_PROBLEM_SET)],
    kinds={"pytorch", "huggingface"},
    code_version=folders.VERSION,
    tags=IN_RUN,
    metadata={"partition_dimension": "model"},
    pool="training",
)
def base_models(
    context: dg.AssetExecutionContext, config: WarmUpConfig, warehouse: Warehouse, training_store: TrainingStore
) -> pa.Table:
    """One row per model that runs may start from."""
    name = context.partition_key
    model = BASE_MODELS[name]
    if model.warm_up_on is not None:
        rows, content = warehouse.file("problem_sets", {"problem_set": model.warm_up_on})
        settings = {**model.warm_up, **config.model_dump(exclude_none=True)}
        made = training_store.warm_up(name, rows, settings, content, report_progress(context))
    else:
        made = training_store.unpack(name, report_progress(context))
    context.add_output_metadata({"model": model.description, "parameters": made.parameters, "score": made.greedy_score})
    return table(BaseModels, [asdict(made)], "model")
