"""Held-out scores: what checkpoints and their base models earn on bricks, sizes and operators not trained on."""

from statistics import fmean

import dagster as dg
import pyarrow as pa
from pydantic import Field

from races.assets.catalog.partitions import CHECKPOINTS_OF_PROBLEM_SET, MEASURED, SAME_MODEL, SAME_RUN
from races.assets.catalog.runs import sets_of
from races.assets.defs.evaluation.heldout_problems import (
    grouped,
    longest_answer,
    means_table,
    problems_of,
    unseen,
    weights_of,
)
from races.assets.progress import report_progress
from races.assets.tables.columns import table
from races.assets.tables.evaluation import HeldoutScores
from races.assets.tags import IN_RUN
from races.environments.operators import ScoreStatus
from races.environments.reward import graded
from races.resources.store.warehouse import Warehouse
from races.resources.training.store import TrainingStore


class HeldoutConfig(dg.Config):
    """How many problems are answered, and how."""

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
    kinds={"parquet"},
    code_version="1",
    tags=IN_RUN,
    metadata={"partition_dimension": "checkpoint"},
    pool="training",
)
def heldout_scores(
    context: dg.AssetExecutionContext, config: HeldoutConfig, warehouse: Warehouse, training_store: TrainingStore
) -> pa.Table:
    """One row per checkpoint and held-out problem: its greedy answer and what that earns."""
    name = context.partition_key
    problems = [row for each in sets_of(name) for row in problems_of(warehouse, each, config.per_cell)]
    settings = config.model_dump(include={"device", "threads", "batch"})
    settings["response_length"] = config.response_length or longest_answer(name)
    given = training_store.answers(weights_of(warehouse, name), problems, settings, report_progress(context))
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
    context.add_output_metadata({"scores": dg.MetadataValue.md(means_table(means)), "settings": settings})
    return table(HeldoutScores, rows, "checkpoint")
