"""Models that runs start from, and training runs: their curves, a sample of their rollouts, and their checkpoints."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from statistics import fmean, variance
from typing import Any

import dagster as dg
import pyarrow as pa
from pydantic import Field
from rich.console import Console

from races.assets.catalog.models import BASE_MODELS
from races.assets.catalog.partitions import MODELS, MODELS_OF_PROBLEM_SET, RUNS_OF_MODEL, RUNS_OF_RECIPE, TRAINED
from races.assets.catalog.runs import RUNS, Run
from races.assets.pictures import curve, examples
from races.assets.tables.schemas import BaseModels, Checkpoints, Rollouts, TrainingRuns, table
from races.environments.reward import graded
from races.resources.extras import check_extra
from races.resources.processes.progress import Progress
from races.resources.store.warehouse import Warehouse
from races.resources.training.config import StepMetrics, Trainer, TrainingConfig, TrainingResult
from races.resources.training.models import folders
from races.resources.training.models.weights import parameters
from races.resources.training.store import TrainingStore
from races.resources.training.torch.trainer import TorchSettings, TorchTrainer
from races.resources.training.verl.config import VerlSettings
from races.resources.training.verl.trainer import piped

ENDS = 20  # steps at either end of a run whose rewards are compared
SPOKEN = 10  # steps between two lines of the log
SHOWN = 3  # good and bad rollouts on the page of a run


class TeachingConfig(dg.Config):
    """How a model is made that is taught here; the other models come as they are."""

    seed: int = Field(0, ge=0, description="Of its first weights and of the order in which it is taught.")
    steps: int = Field(1600, ge=1, description="Supervised steps at most.")
    target: float = Field(
        0.4, gt=0, lt=1, description="Mean score of greedy answers at which it is taught no more: a start for GRPO."
    )
    threads: int = Field(1, ge=1, description="Threads of torch; small models are fastest with one.")


@dg.asset(
    partitions_def=MODELS,
    deps=[dg.AssetDep("problem_sets", partition_mapping=MODELS_OF_PROBLEM_SET)],
    group_name="training",
    kinds={"pytorch", "huggingface"},
    code_version=folders.VERSION,
    metadata={"partition_dimension": "model"},
    pool="training",
)
def base_models(
    context: dg.AssetExecutionContext, config: TeachingConfig, warehouse: Warehouse, training_store: TrainingStore
) -> pa.Table:
    """One row per model that runs may start from."""
    name = context.partition_key
    if (problem_set := BASE_MODELS[name].warm_up_on) is not None:
        rows, content = warehouse.file("problem_sets", {"problem_set": problem_set})
        made = training_store.warm_up(name, rows, config.model_dump(), content, told(context))
    else:
        made = training_store.unpack(name, told(context))
    context.add_output_metadata(
        {"model": BASE_MODELS[name].description, "parameters": made.parameters, "score": made.greedy_score}
    )
    return table(BaseModels, [asdict(made)], "model")


class RunConfig(dg.Config):
    """What differs from what the run says, and where it runs."""

    settings: dict[str, Any] = Field({}, description="Fields of TrainingConfig that replace the run's own.")
    model: str = Field("", description="A Hugging Face folder or hub name instead of the run's model.")
    torch: TorchSettings = TorchSettings()
    verl: VerlSettings | None = Field(None, description="Instead of what the run says; only for verl.")


@dg.multi_asset(
    outs={
        name: dg.AssetOut(
            group_name="training",
            description=model.__doc__,
            kinds={"parquet"},
            code_version="1",
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
    run = RUNS[context.partition_key]
    check_extra("matplotlib", "report")  # else the picture of the rewards would fail after hours of training
    stored, content = warehouse.file("training_sets", {"recipe": run.recipe})
    model = config.model or base_folder(run, warehouse)
    asked = TrainingConfig(**{**run.training(model).model_dump(), **config.settings})
    folder = training_store.run_folder(run.name, asked, content)
    rows = training_store.pinned(stored, folder)
    with trainer(run, config, context, folder) as back_end:
        back_end.check(asked, [rows])
        trained = back_end.train(asked, [rows], folder, told(context, "training_runs"))
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
        table(Rollouts, kept, "run"), "rollouts", metadata={"examples": dg.MetadataValue.md(examples(kept, SHOWN))}
    )
    row = checkpoint_row(run, model, trained, asked.model_dump_json(), content)
    yield dg.Output(table(Checkpoints, [row], "run"), "checkpoints", metadata=label(run, model) | said_of(row))


def base_folder(run: Run, warehouse: Warehouse) -> str:
    """The folder of a model that we make; other names are left to transformers."""
    if run.model not in BASE_MODELS:
        return run.model
    (row,) = warehouse.dataset("base_models", {"model": run.model}).to_table().to_pylist()
    return str(row["folder"])


@contextmanager
def trainer(run: Run, config: RunConfig, context: dg.AssetExecutionContext, folder: Path) -> Iterator[Trainer]:
    """The back end of a run; verl's reports through Dagster Pipes."""
    if run.backend == "torch":
        yield TorchTrainer(config.torch)
        return
    with piped(context, config.verl or run.verl, folder) as back_end:
        yield back_end


def told(context: dg.AssetExecutionContext, asset: str = "") -> Callable[[StepMetrics | Progress], None]:
    """Tell the log of the run, and whoever waits at a terminal, how far it is, now and then.

    asset: whose page shows the figures of these steps as they come.
    """
    terminal = Console(stderr=True, markup=False, highlight=False)

    def tell(report: StepMetrics | Progress) -> None:
        if report.done % SPOKEN == 0 or report.done == 1:
            said = {name: value for name, value in asdict(report).items() if value is not None}
            line = ", ".join(f"{name} {value:.4g}" for name, value in said.items())
            context.log.info(line)
            if asset:
                context.log_event(dg.AssetObservation(asset, partition=context.partition_key, metadata=said))
            if terminal.is_terminal:
                terminal.print(f"{context.partition_key}: {line}", soft_wrap=True)

    return tell


def label(run: Run, model: str) -> dict[str, Any]:
    """What must stand beside every figure of a run, so that a small one is never taken for a large one."""
    return {"backend": run.backend, "base": model, "recipe": run.recipe, "what": run.description}


def rewards(trained: TrainingResult) -> list[float]:
    """The reward of every step."""
    return [step.reward for step in trained.metrics]


def gain(found: list[float]) -> tuple[float, float, float]:
    """Mean reward of the first and of the last steps, and the standard error of their difference."""
    first, last = found[:ENDS], found[-ENDS:]
    error = sum(variance(part) / len(part) for part in (first, last) if len(part) > 1) ** 0.5
    return fmean(first), fmean(last), error


def checkpoint_row(run: Run, model: str, trained: TrainingResult, config: str, content: str) -> dict[str, Any]:
    """The row of a trained model."""
    first, last, error = gain(rewards(trained))
    return {
        "backend": trained.backend,
        "recipe": run.recipe,
        "base": run.model,
        "folder": str(trained.model),
        "parameters": parameters(trained.model),
        "last_step": trained.last_step,
        "reward_first": first,
        "reward_last": last,
        "reward_gain_error": error,
        "config": config,
        "rows": content,
        "greedy_prompt": trained.greedy[0],
        "greedy_answer": trained.greedy[1],
    }


def said_of(row: dict[str, Any]) -> dict[str, Any]:
    """What the page of a checkpoint shows."""
    names = ("parameters", "last_step", "reward_first", "reward_last", "reward_gain_error", "greedy_answer")
    return {name: row[name] for name in names}


def rollout_rows(trained: TrainingResult, warehouse: Warehouse, recipe: str) -> list[dict[str, Any]]:
    """The kept responses, with the problem that each is to and what the scorer of today says of it."""
    stored = warehouse.read("training_sets", {"recipe": recipe}, columns=["reward_model", "operator", "size"])
    known = {row["reward_model"]["ground_truth"]: row for row in stored.to_pylist()}
    rows = []
    for each in trained.rollouts:
        found, today = known.get(each["truth"]), graded(each["truth"], each["response"])
        rows.append(
            {
                **each,
                "operator": found["operator"] if found else "",
                "size": found["size"] if found else 0,
                "status": str(today.status),
                "reason": today.reason,
            }
        )
    return rows
