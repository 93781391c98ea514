"""Problems by operator, and training sets by recipe in the columns that verl reads."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import dagster as dg
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pydantic import Field

from environments.keyed import uniform
from environments.operators.factory import FROM_PATHS, SIZES, Chunk, PathRecord, Posed, chunks, pose_armed
from environments.operators.problem import AnswerStyle, Problem
from races_assets.partitions import OPERATORS, POSED_FOR, SETS
from races_assets.recipes import RECIPES, Cell, Recipe, needed
from races_assets.schemas import Problems, arrow_schema
from resources.warehouse import Warehouse
from resources.workers import WorkerDied, Workers

ROUNDS = 12  # a cell that is not full after so many rounds of candidates stays short
CHUNK = 50  # candidates that a worker poses at a time
LEAST_RATE = 0.05  # problems a candidate, below which a round is not made any longer


class ProblemsConfig(dg.Config):
    """How many problems are posed, and how answers are asked for."""

    per_cell: int = Field(0, ge=0, description="Problems of each size; 0 takes what the recipes need.")
    answer_style: AnswerStyle = Field("tags", description="tags for <answer>...</answer>, or boxed for LaTeX.")
    seed: str = Field("races", description="What every draw is keyed by; another seed poses other problems.")
    workers: int = Field(0, ge=0, description="Processes; 0 takes one a core.")


@dg.asset(
    partitions_def=OPERATORS,
    deps=["environments", "sub_pools", "filtered_paths"],
    group_name="datasets",
    kinds={"parquet"},
    code_version="1",
    metadata={"partition_dimension": "operator"},
)
def problems(context: dg.AssetExecutionContext, config: ProblemsConfig, warehouse: Warehouse) -> pa.RecordBatchReader:
    """One row per problem, its gold answer and all that its score needs."""
    operator = context.partition_key
    want = {(operator, size): config.per_cell or count for size, count in _wanted(operator).items()}
    posing = Posing(want, config, _records(warehouse, operator))

    def batches() -> Iterator[pa.RecordBatch]:
        yield from posing.batches()
        context.add_asset_metadata(posing.report(), partition_key=operator)

    return pa.RecordBatchReader.from_batches(posing.schema, batches())


def _wanted(operator: str) -> dict[int, int]:
    return {size: needed().get((operator, size), 0) for size in SIZES[operator]}


def _records(warehouse: Warehouse, operator: str) -> dict[int, list[PathRecord]]:
    """The paths that an operator may pose, by size, in an order that mixes start bricks."""
    if operator not in FROM_PATHS:
        return {}
    # The order of the steps is asked for by SORT and SELECT alone: their paths come from the search that hides it.
    hidden = pc.field("search") == "orders"
    columns = ["path_id", "level", "environments", "start", "outputs", "size", "feasible_orders"]
    found = warehouse.read(
        "filtered_paths", columns=columns, where=~hidden if operator == "sequential" else hidden
    ).to_pylist()
    records: dict[int, list[PathRecord]] = {}
    for row in sorted(found, key=lambda row: uniform("mix", operator, row["path_id"])):
        if operator != "sort" or row["feasible_orders"] > 1:
            record = PathRecord(
                row["path_id"], row["level"], tuple(row["environments"]), row["start"], tuple(row["outputs"])
            )
            records.setdefault(row["size"], []).append(record)
    return records


def one_by_one(chunk: Chunk) -> Posed:
    """Pose a chunk whose worker has died: a candidate that takes too long costs a worker and itself, no more."""
    posed = Posed()
    with Workers(1) as workers:
        for place, turn in enumerate(chunk.turns):
            one = replace(chunk, turns=(turn,), records=chunk.records[place : place + 1])
            try:
                (result,) = workers.map(pose_armed, [one])
            except WorkerDied:
                posed.unposed["a brick takes too long"] += 1
                continue
            posed.problems += result.problems
            posed.unposed.update(result.unposed)
    return posed


class Posing:
    """Fills cells with problems, chunk by chunk, each problem once; memory grows with the ids alone."""

    def __init__(self, want: dict[Cell, int], config: ProblemsConfig, records: dict[int, list[PathRecord]]) -> None:
        self.want, self.workers = want, config.workers or None
        self.supply = {
            cell: chunks(*cell, config.seed, records.get(cell[1], []), config.answer_style, CHUNK) for cell in want
        }
        self.offered: Counter[Cell] = Counter()
        self.have: Counter[Cell] = Counter()
        self.unposed: Counter[str] = Counter()
        self.seen: set[str] = set()
        fields = [field for field in arrow_schema(Problems) if field.name != "operator"]
        self.schema = pa.schema(fields)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The problems, cell after cell within each round; a round offers each cell what it lacks and a little more."""
        with Workers(self.workers) as workers:
            for _ in range(ROUNDS):
                tasks = [chunk for cell in self.want for chunk in self._offered(cell)]
                if not tasks:
                    return
                results = workers.map(pose_armed, tasks, f"pose {tasks[0].operator}", instead=one_by_one)
                for chunk, posed in zip(tasks, results, strict=True):
                    rows = self._fresh((chunk.operator, chunk.size), posed)
                    if rows:
                        yield pa.RecordBatch.from_pylist(rows, schema=self.schema)

    def _offered(self, cell: Cell) -> list[Chunk]:
        """The next chunks of a cell: enough for what it lacks at the rate at which candidates made problems so far."""
        lacking = self.want[cell] - self.have[cell]
        if lacking <= 0:
            return []
        rate = max(LEAST_RATE, self.have[cell] / self.offered[cell]) if self.offered[cell] else 1.0
        found = list(islice(self.supply[cell], math.ceil(1.1 * lacking / rate / CHUNK)))
        self.offered[cell] += sum(len(chunk.turns) for chunk in found)
        return found

    def _fresh(self, cell: Cell, posed: Posed) -> list[dict[str, Any]]:
        self.unposed.update(posed.unposed)
        rows = []
        for problem in posed.problems:
            if self.have[cell] == self.want[cell]:
                break
            if problem.id in self.seen:
                self.unposed["posed before"] += 1
                continue
            self.seen.add(problem.id)
            self.have[cell] += 1
            rows.append(problem_row(problem))
        return rows

    def report(self) -> dict[str, Any]:
        """What was posed and what was not, for the asset's page."""
        lines = [f"| {reason} | {count} |" for reason, count in self.unposed.most_common()]
        short = {cell: self.want[cell] - self.have[cell] for cell in self.want if self.have[cell] < self.want[cell]}
        return {
            "not_posed": dg.MetadataValue.md("\n".join(["| reason | candidates |", "| --- | --- |", *lines])),
            "short_of": sum(short.values()),
        }


def problem_row(problem: Problem) -> dict[str, Any]:
    """The columns of a problem that its partition does not say."""
    row = problem.row()
    del row["operator"]
    return row


@dg.asset(
    partitions_def=SETS,
    deps=[dg.AssetDep("problems", partition_mapping=POSED_FOR)],
    group_name="datasets",
    kinds={"parquet"},
    code_version="1",
    metadata={"partition_dimension": "recipe"},
)
def training_sets(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per problem of a recipe, shuffled, in the columns that verl reads."""
    recipe = RECIPES[context.partition_key]
    chosen, short = chosen_rows(recipe, warehouse.dataset("problems"))
    context.add_output_metadata(
        {
            "recipe": recipe.description,
            "short_of": sum(short.values()),
            "cells": dg.MetadataValue.md(_cells(recipe, short)),
        }
    )
    return pa.Table.from_pylist([verl_row(row, place) for place, row in enumerate(chosen)], schema=VERL)


def chosen_rows(recipe: Recipe, stored: ds.Dataset) -> tuple[list[dict[str, Any]], dict[Cell, int]]:
    """The rows of a recipe in their shuffled order, and for each cell how many it is short of."""
    rows: list[dict[str, Any]] = []
    short: dict[Cell, int] = {}
    for cell, count in recipe.cells().items():
        here = (pc.field("operator") == cell[0]) & (pc.field("size") == cell[1])
        found = stored.to_table(columns=COLUMNS, filter=here).to_pylist()
        found.sort(key=lambda row: uniform("choose", recipe.seed, recipe.name, row["id"]))
        rows += found[:count]
        if len(found) < count:
            short[cell] = count - len(found)
    rows.sort(key=lambda row: uniform("shuffle", recipe.seed, recipe.name, row["id"]))
    return rows, short


def _cells(recipe: Recipe, short: dict[Cell, int]) -> str:
    lines = [
        f"| {operator} | {size} | {count - short.get((operator, size), 0)} | {count} |"
        for (operator, size), count in recipe.cells().items()
    ]
    return "\n".join(["| operator | size | rows | wanted |", "| --- | --- | --- | --- |", *lines])


COLUMNS = ["id", "operator", "size", "level", "prompt", "truth", "environments", "path_id"]
# verl joins files of one schema, so nested fields are fixed and the truth is one JSON string.
VERL = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("data_source", pa.string(), nullable=False),
        pa.field("prompt", pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())])), nullable=False),
        pa.field("ability", pa.string(), nullable=False),
        pa.field("reward_model", pa.struct([("style", pa.string()), ("ground_truth", pa.string())]), nullable=False),
        pa.field(
            "extra_info",
            pa.struct(
                [
                    ("index", pa.int64()),
                    ("id", pa.string()),
                    ("operator", pa.string()),
                    ("size", pa.int64()),
                    ("level", pa.int64()),
                    ("path_id", pa.string()),
                ]
            ),
            nullable=False,
        ),
        pa.field("operator", pa.string(), nullable=False),
        pa.field("size", pa.int64(), nullable=False),
        pa.field("level", pa.int64(), nullable=False),
        pa.field("environments", pa.list_(pa.field("element", pa.string(), nullable=False)), nullable=False),
        pa.field("prompt_characters", pa.int64(), nullable=False),
    ]
)


def verl_row(row: dict[str, Any], place: int) -> dict[str, Any]:
    """A problem in the columns of verl's RLHFDataset, with a few of ours beside them."""
    extra = {name: row[name] for name in ("id", "operator", "size", "level", "path_id")}
    return {
        "id": row["id"],
        "data_source": f"races/{row['operator']}",
        "prompt": [{"role": "user", "content": row["prompt"]}],
        "ability": row["operator"],
        "reward_model": {"style": "rule", "ground_truth": row["truth"]},
        "extra_info": {"index": place, **extra},
        "operator": row["operator"],
        "size": row["size"],
        "level": row["level"],
        "environments": row["environments"],
        "prompt_characters": len(row["prompt"]),
    }
