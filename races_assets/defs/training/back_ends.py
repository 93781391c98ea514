"""What a run trains with: the model that it starts from, and its back end."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

from races.assets.catalog.models import BASE_MODELS
from races.assets.catalog.runs import Run
from races.resources.store.warehouse import Warehouse
from races.resources.training.config import Trainer
from races.resources.training.torch.trainer import TorchSettings, TorchTrainer
from races.resources.training.verl.config import VerlSettings
from races.resources.training.verl.trainer import piped


def base_folder(run: Run, warehouse: Warehouse) -> str:
    """The folder of a model that we make; other names are left to transformers."""
    if run.model not in BASE_MODELS:
        return run.model
    (row,) = warehouse.dataset("base_models", {"model": run.model}).to_table().to_pylist()
    return str(row["folder"])


@contextmanager
def back_end_of(
    run: Run, torch: TorchSettings, verl: VerlSettings | None, context: dg.AssetExecutionContext, folder: Path
) -> Iterator[Trainer]:
    """The back end of a run; verl's reports through Dagster Pipes."""
    if run.backend == "torch":
        yield TorchTrainer(torch)
        return
    with piped(context, verl or run.verl, folder) as back_end:
        yield back_end
