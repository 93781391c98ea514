"""Held-out scores: what checkpoints and their base models earn on bricks, sizes and operators not trained on."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

import dagster as dg
import pyarrow as pa
from pydantic import Field

from races.assets.catalog.models import BASE_MODELS
from races.assets.catalog.partitions import CHECKPOINTS_OF_PROBLEM_SET, MEASURED, SAME_MODEL, SAME_RUN
from races.assets.catalog.recipes import PROBLEM_SETS, RECIPES
from races.assets.catalog.runs import RUNS, sets_of
from races.assets.defs.training.training import told
from races.assets.pictures import Picture, drawn, figure
from races.assets.tables.schemas import HeldoutDifferences, HeldoutScores, table
from races.environments.operators import ScoreStatus
from races.environments.reward import graded
from races.environments.subpools import subpool
from races.resources.extras import check_extra
from races.resources.store.markdown import text
from races.resources.store.warehouse import Warehouse
from races.resources.training.store import TrainingStore

Row = dict[str, Any]
Group = tuple[str, str, int]  # what is unseen, operator, size
ALL = "all"


class MeasureConfig(dg.Config):
    """How answers are asked for."""

    per_cell: int = Field(0, ge=0, description="Problems of each set, operator and size; 0 takes all.")
    response_length: int = Field(0, ge=0, description="Tokens of the longest answer; 0 takes the run's.")
    device: str = Field("cpu", description="A torch device: cpu, or cuda for one GPU.")
    threads: int = Field(1, ge=1, description="Threads of torch; small models are fastest with one.")
    batch: int = Field(64, ge=1, description="Prompts that are answered together.")


@dg.asset(
    partitions_def=MEASURED,
    deps=[
        dg.AssetDep("problem_sets", partition_mapping=CHECKPOINTS_OF_PROBLEM_SET),
        dg.AssetDep("checkpoints", partition_mapping=SAME_RUN),
        dg.AssetDep("base_models", partition_mapping=SAME_MODEL),
    ],
    group_name="evaluation",
    kinds={"parquet"},
    code_version="1",
    metadata={"partition_dimension": "checkpoint"},
    pool="training",
)
def heldout_scores(
    context: dg.AssetExecutionContext, config: MeasureConfig, warehouse: Warehouse, training_store: TrainingStore
) -> pa.Table:
    """One row per checkpoint and held-out problem: its greedy answer and what that earns."""
    name = context.partition_key
    problems = [row for each in sets_of(name) for row in of_set(warehouse, each, config.per_cell)]
    settings = config.model_dump(include={"device", "threads", "batch"})
    settings["response_length"] = config.response_length or longest_answer(name)
    given = training_store.answers(weights_of(warehouse, name), problems, settings, told(context))
    rows = []
    for problem in problems:
        answer = given[problem["id"]]
        found = graded(problem["truth"], answer.response)
        failed = found.status is ScoreStatus.GRADER_FAILED
        rows.append(
            {
                **{column: problem[column] for column in ("problem_set", "id", "operator", "size")},
                "unseen": unseen(name, problem),
                "score": None if failed else found.value,
                "status": str(found.status),
                "response": answer.response,
                "ended": answer.ended,
            }
        )
    means = {f"{key[0]} {key[1]} {key[2]}": fmean(scores) for key, scores in sorted(grouped(rows).items())}
    context.add_output_metadata({"scores": dg.MetadataValue.md(as_table(means)), "settings": settings})
    return table(HeldoutScores, rows, "checkpoint")


def of_set(warehouse: Warehouse, name: str, per_cell: int) -> list[Row]:
    """The problems of a set, or the first so many of each of its cells."""
    columns = ["id", "operator", "size", "prompt", "truth", "problem_set"]
    found = warehouse.read("problem_sets", {"problem_set": name}, columns=columns).to_pylist()
    taken: dict[tuple[str, int], int] = defaultdict(int)
    kept = []
    for row in found:
        taken[row["operator"], row["size"]] += 1
        if not per_cell or taken[row["operator"], row["size"]] <= per_cell:
            kept.append(row)
    return kept


def longest_answer(checkpoint: str) -> int:
    """The tokens that an answer may have: as many as in training; a base model gets those of the runs from it."""
    if checkpoint in RUNS:
        return int(RUNS[checkpoint].config["response_length"])
    return max((int(run.config["response_length"]) for run in RUNS.values() if run.model == checkpoint), default=1024)


def weights_of(warehouse: Warehouse, checkpoint: str) -> str:
    """The folder of a checkpoint or of a base model."""
    name, part = ("base_models", "model") if checkpoint in BASE_MODELS else ("checkpoints", "run")
    (row,) = warehouse.read(name, {part: checkpoint}, columns=["folder"]).to_pylist()
    return str(row["folder"])


def unseen(checkpoint: str, problem: Row) -> str:
    """What of a problem a run was not trained on; of a base model everything is as unseen as for the runs from it."""
    run = RUNS.get(checkpoint)
    part = PROBLEM_SETS[problem["problem_set"]].sub_pool
    trained = {name for each in ([run] if run else runs_from(checkpoint)) for name in bricks_of(each.recipe)}
    if not trained & set(subpool(part)):
        return "bricks"
    if run is None:
        return "inputs"
    sizes = RECIPES[run.recipe].sizes
    if problem["operator"] not in sizes:
        return "operator"
    return "inputs" if problem["size"] in sizes[problem["operator"]] else "size"


def runs_from(model: str) -> list[Any]:
    """The runs that start from a model."""
    return [run for run in RUNS.values() if run.model == model]


def bricks_of(recipe: str) -> set[str]:
    """The bricks that a training set may hold."""
    source = RECIPES[recipe].source
    return set(subpool("training" if source == "problems" else PROBLEM_SETS[source].sub_pool))


def grouped(rows: Sequence[Row]) -> dict[Group, list[float]]:
    """The scores by what is unseen, operator and size."""
    found: dict[Group, list[float]] = defaultdict(list)
    for row in rows:
        if row["score"] is not None:
            found[row["unseen"], row["operator"], row["size"]].append(row["score"])
    return found


def as_table(means: dict[str, float]) -> str:
    """Means by name as a Markdown table."""
    return "\n".join(
        ["| problems | mean score |", "| --- | --- |", *(f"| {text(k)} | {v:.3f} |" for k, v in means.items())]
    )


@dg.asset(deps=["heldout_scores", "checkpoints"], group_name="evaluation", kinds={"parquet"}, code_version="1")
def heldout_differences(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per checkpoint, what is unseen, operator and size: it against its base model, paired by problem."""
    rows = [
        row for part in warehouse.partitions("heldout_scores") for row in differences(warehouse, part["checkpoint"])
    ]
    picture = differences_picture([row for row in rows if row["size"] == 0])
    context.add_output_metadata({"differences": dg.MetadataValue.md(picture.markdown)})
    return table(HeldoutDifferences, rows)


def differences_picture(shown: Sequence[Row]) -> Picture:
    """Differences with their intervals, one a line."""
    picture = figure(7, 0.6 + 0.28 * max(1, len(shown)))
    axes = picture.subplots()
    names = [f"{row['checkpoint']}: {row['unseen']}, {row['operator']}" for row in shown]
    ends = [(row["difference"] if row[end] is None else row[end]) for end in ("low", "high") for row in shown]
    reach = [abs(end - row["difference"]) for end, row in zip(ends, [*shown, *shown], strict=True)]
    axes.errorbar(
        [row["difference"] for row in shown],
        names,
        xerr=[reach[: len(shown)], reach[len(shown) :]],
        fmt="o",
        markersize=3,
    )
    axes.axvline(0, linewidth=0.8)
    axes.set(xlabel="score less that of the base model, with 95 % interval over problems")
    return drawn(picture, "differences")


def differences(warehouse: Warehouse, checkpoint: str) -> Iterator[Row]:
    """A checkpoint against its base model, where both have been measured; nothing for a base model."""
    run = RUNS.get(checkpoint)
    stored = {part["checkpoint"] for part in warehouse.partitions("heldout_scores")}
    if run is None or run.model not in stored:
        return
    columns = ["id", "unseen", "operator", "size", "score"]
    after = warehouse.read("heldout_scores", {"checkpoint": checkpoint}, columns=columns).to_pylist()
    before = warehouse.read("heldout_scores", {"checkpoint": run.model}, columns=["id", "score"]).to_pylist()
    base = {row["id"]: row["score"] for row in before}
    pairs: dict[Group, list[tuple[float, float]]] = defaultdict(list)
    for row in after:
        if row["score"] is not None and base.get(row["id"]) is not None:
            pair = base[row["id"]], row["score"]
            pairs[row["unseen"], row["operator"], row["size"]].append(pair)
            pairs[row["unseen"], row["operator"], 0].append(pair)
            pairs[row["unseen"], ALL, 0].append(pair)
    for (what, operator, size), found in sorted(pairs.items()):
        yield {
            "checkpoint": checkpoint,
            "base": run.model,
            "unseen": what,
            "operator": operator,
            "size": size,
            **paired(found),
        }


def paired(pairs: Sequence[tuple[float, float]]) -> Row:
    """Means of two scores of the same problems, and the mean difference with its 95 % interval by Student's t.

    SettingError where scipy is not installed.
    """
    check_extra("scipy", "report")
    from races.resources.evaluation.statistics.intervals import mean_interval

    value, error, low, high = mean_interval([second - first for first, second in pairs])
    return {
        "problems": len(pairs),
        "base_score": fmean(first for first, _ in pairs),
        "score": fmean(second for _, second in pairs),
        "difference": value,
        "standard_error": error,
        "low": low,
        "high": high,
    }
