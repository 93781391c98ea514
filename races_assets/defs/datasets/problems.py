"""Problems by operator, and training sets by recipe in the columns that verl reads."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import dagster as dg
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pydantic import Field

from races.assets.catalog.partitions import (
    OPERATORS,
    PROBLEM_SET_PARTITIONS,
    SETS,
    SETS_OF_OPERATOR,
    SETS_OF_PROBLEM_SET,
)
from races.assets.catalog.recipes import PROBLEM_SETS, RECIPES, Cell, ProblemSet, Recipe, needed, version_with
from races.assets.defs.composition.search_comparison import healthy
from races.assets.defs.datasets.problem_cache import Candidate, Memory, candidate
from races.assets.tables.schemas import Problems, arrow_schema
from races.environments.composition.frontier import CompatibleBricks, SearchSettings, shards
from races.environments.composition.path import PathRecord
from races.environments.generation.attempts import Attempt, ChunkResult, generate_chunk_in_worker
from races.environments.generation.cache_keys import generation_version
from races.environments.generation.chunks import Chunk, attempt_key, chunks
from races.environments.operators import FROM_PATHS, SIZES, select, sort
from races.environments.operators.problem import AnswerStyle, training_row
from races.environments.seeding import key_of, uniform
from races.environments.subpools import subpool
from races.environments.types import LEVELS
from races.resources.processes.worker_pool import WorkerDied, Workers, search
from races.resources.store.markdown import text
from races.resources.store.warehouse import Warehouse
from races.resources.training.rows import VERL

ROUNDS = 12  # a cell that is not full after so many rounds of candidates stays short
CHUNK = 50  # candidates that a worker poses at a time
TENTH = 0.1  # of the problems that can be posed are for held-out sets
LEAST_RATE = 0.05  # problems a candidate, below which a round is not made any longer


class ProblemsConfig(dg.Config):
    """How many problems are posed, and how answers are asked for."""

    per_cell: int = Field(0, ge=0, description="Problems of each size; 0 takes what the recipes need.")
    answer_style: AnswerStyle = Field("tags", description="tags for <answer>...</answer>, or boxed for LaTeX.")
    seed: str = Field("races", description="What every draw is keyed by; another seed poses other problems.")
    workers: int = Field(0, ge=0, description="Processes; 0 takes one a core.")


class SetsConfig(dg.Config):
    """How many problems of a set are posed."""

    per_cell: int = Field(0, ge=0, description="Problems of each operator and size; 0 takes what the set says.")
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
    """One row per problem: its prompt, its gold answer and all that its score needs. A partition is an operator."""
    operator = context.partition_key
    want = {(operator, size): config.per_cell or count for size, count in _wanted(operator).items()}
    memory = Memory(warehouse, "problems", {"operator": operator})
    posing = Posing(want, config, {operator: _records(warehouse, operator)}, memory=memory)

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
        if operator != "sort" or _open_enough(row):
            records.setdefault(row["size"], []).append(path_record(row))
    return records


def _open_enough(row: dict[str, Any]) -> bool:
    """Whether types leave enough orders of a path open for SORT to pose it, whatever its values."""
    orders: int = row["feasible_orders"]
    return orders * sort.allowed_chance(row["size"]) >= 1


def path_record(row: dict[str, Any]) -> PathRecord:
    """The path of a row of discovered_paths."""
    return PathRecord(row["path_id"], row["level"], tuple(row["environments"]), row["start"], tuple(row["outputs"]))


@dg.asset(
    partitions_def=PROBLEM_SET_PARTITIONS,
    deps=["environments", "sub_pools", "filtered_paths"],
    group_name="datasets",
    kinds={"parquet"},
    code_version=version_with(PROBLEM_SETS, "1"),
    metadata={"partition_dimension": "problem_set"},
)
def problem_sets(context: dg.AssetExecutionContext, config: SetsConfig, warehouse: Warehouse) -> pa.RecordBatchReader:
    """One row per problem of a set that is posed for a purpose: to measure models on, or to train a small one."""
    purpose = PROBLEM_SETS[context.partition_key]
    asked = sorted({operator for operator, _ in purpose.cells if operator in FROM_PATHS})
    found = purpose.paths_from == "filtered_paths"
    memory = Memory(
        warehouse, "problem_sets", {"problem_set": purpose.name}, "" if found else _set_basis(purpose, config)
    )
    if (kept := memory.unchanged()) is not None:
        context.add_asset_metadata({"posed": 0, "kept": memory.kept}, partition_key=purpose.name)
        return kept.to_reader()
    if found:
        records = {operator: _records(warehouse, operator) for operator in asked}
    else:
        records = {operator: searched(purpose, operator, config.workers or None) for operator in asked}
    want = {cell: config.per_cell or count for cell, count in purpose.cells.items()}
    how = ProblemsConfig(per_cell=0, answer_style="tags", seed=f"{config.seed} {purpose.name}", workers=config.workers)
    posing = Posing(want, how, records, purpose, memory)

    def batches() -> Iterator[pa.RecordBatch]:
        yield from posing.batches()
        context.add_asset_metadata(posing.report(), partition_key=purpose.name)

    return pa.RecordBatchReader.from_batches(posing.schema, batches())


def _set_basis(purpose: ProblemSet, config: SetsConfig) -> str:
    """A hash of all that a set hangs on whose part of the pool is searched for it alone."""
    bricks = [
        (brick.name, brick.fingerprint) for brick in subpool(purpose.distractors_from or purpose.sub_pool).values()
    ]
    settings = [_search_settings(purpose, operator).key for operator in FROM_PATHS]
    return key_of(generation_version(), settings, repr(purpose), config.per_cell, config.seed, bricks)


def searched(purpose: ProblemSet, operator: str, workers: int | None) -> dict[int, list[PathRecord]]:
    """The healthy paths of a part of the pool that is too small for the search of the whole to be of use."""
    settings = _search_settings(purpose, operator)
    offers = CompatibleBricks(subpool(purpose.sub_pool), settings.matching)
    tasks = [(shard, settings) for shard in shards(offers.environments, settings)]
    wider = (
        CompatibleBricks(subpool(purpose.distractors_from), settings.matching) if purpose.distractors_from else offers
    )
    found: dict[int, dict[tuple[str, ...], PathRecord]] = {}
    for result in search(tasks, workers, f"paths of {purpose.sub_pool} for {operator}"):
        for row in result.paths:
            if healthy(row) and _worth_posing(row, operator, wider):
                record = path_record(row)
                found.setdefault(row["size"], {}).setdefault(record.environments, record)
    return {
        size: sorted(records.values(), key=lambda each: uniform("mix", operator, *each.environments))
        for size, records in found.items()
    }


def _worth_posing(row: dict[str, Any], operator: str, offers: CompatibleBricks) -> bool:
    """Whether types let an operator pose a path of a small part at all, so that no round is made in vain."""
    if operator == "select":
        return select.may_be_open([offers.environments[name] for name in row["environments"]], offers)
    return operator != "sort" or _open_enough(row)


def _search_settings(purpose: ProblemSet, operator: str) -> SearchSettings:
    return SearchSettings(
        pool=purpose.sub_pool,
        strategy="balanced" if operator == "sequential" else "orders",
        longest=max((size for name, size in purpose.cells if name == operator), default=1),
        roots=len(LEVELS),
        extensions=6,
        frontier=24,
        budget=24,
    )


def one_by_one(chunk: Chunk) -> ChunkResult:
    """Pose a chunk whose worker has died: a candidate that takes too long costs a worker and itself, no more."""
    posed = ChunkResult()
    with Workers(1) as workers:
        for place, turn in enumerate(chunk.draw_indices):
            one = replace(chunk, draw_indices=(turn,), records=chunk.records[place : place + 1])
            try:
                (result,) = workers.map(generate_chunk_in_worker, [one])
            except WorkerDied:
                posed.attempts.append(Attempt(attempt_key(one, 0), (), None, "a brick takes too long"))
                continue
            posed.attempts += result.attempts
    return posed


class Posing:
    """Fills cells with problems, chunk by chunk, each problem once; without `memory` it keeps in mind the ids alone."""

    def __init__(
        self,
        want: dict[Cell, int],
        config: "ProblemsConfig",
        records: dict[str, dict[int, list[PathRecord]]],
        purpose: ProblemSet | None = None,
        memory: Memory | None = None,
    ) -> None:
        self.want, self.workers, self.purpose, self.memory = want, config.workers or None, purpose, memory
        self.supply = {cell: self._supply(cell, config, records.get(cell[0], {}).get(cell[1], [])) for cell in want}
        self.offered: Counter[Cell] = Counter()
        self.have: Counter[Cell] = Counter()
        self.unposed: Counter[str] = Counter()
        self.seen: set[str] = set()
        self.schema = arrow_schema(Problems, "" if purpose else "operator")

    def _supply(self, cell: Cell, config: "ProblemsConfig", records: list[PathRecord]) -> Iterator[Chunk]:
        operator, size = cell
        if self.purpose is None:
            return chunks(operator, size, config.seed, records, config.answer_style, CHUNK)
        part, levels = self.purpose.sub_pool, self.purpose.levels
        return chunks(
            operator,
            size,
            config.seed,
            records,
            config.answer_style,
            CHUNK,
            part,
            levels,
            True,
            self.purpose.distractors_from,
        )

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The problems, cell after cell within each round; a round offers each cell what it lacks and a little more."""
        with Workers(self.workers) as workers:
            for _ in range(ROUNDS):
                offered = [chunk for cell in self.want for chunk in self._offered(cell)]
                recalled = [
                    self.memory.recall(chunk) if self.memory else [None] * len(chunk.draw_indices) for chunk in offered
                ]
                lacking = [_without(chunk, known) for chunk, known in zip(offered, recalled, strict=True)]
                tasks = [chunk for chunk in lacking if chunk.draw_indices]
                results = workers.map(
                    generate_chunk_in_worker, tasks, f"pose {tasks[0].operator}" if tasks else "", fallback=one_by_one
                )
                for chunk, known, less in zip(offered, recalled, lacking, strict=True):
                    tried = next(results).attempts if less.draw_indices else []
                    rows = self._fresh(chunk, self._together(chunk, known, tried), workers)
                    if rows:
                        yield pa.RecordBatch.from_pylist(rows, schema=self.schema)
        if self.memory:
            self.memory.store()

    def _together(self, chunk: Chunk, known: Sequence[Candidate | None], tried: Sequence[Attempt]) -> list[Candidate]:
        """The candidates of a chunk in their order: those that are known, and those that have been tried again."""
        left = iter(tried)
        found = [each or self._candidate(chunk, place, next(left)) for place, each in enumerate(known)]
        if self.memory:
            self.memory.note(found, anew=len(tried))
        return found

    def _candidate(self, chunk: Chunk, place: int, tried: Attempt) -> Candidate:
        row = tried.problem.as_dict() if tried.problem else None
        if row and not self.purpose:
            del row["operator"]  # which its partition says
        if self.memory is None:
            return Candidate(
                tried.key, tried.uses, "", tried.problem.id if tried.problem else "", tried.reason, "", row
            )
        return candidate(chunk, place, tried, row)

    def _offered(self, cell: Cell) -> list[Chunk]:
        """The next chunks of a cell: enough for what it lacks at the rate at which candidates made problems so far."""
        lacking = self.want[cell] - self.have[cell]
        if lacking <= 0:
            return []
        share = TENTH if self.purpose and self.purpose.held_out else 1.0
        rate = max(LEAST_RATE * share, self.have[cell] / self.offered[cell]) if self.offered[cell] else share
        found = list(islice(self.supply[cell], math.ceil(1.1 * lacking / rate / CHUNK)))
        self.offered[cell] += sum(len(chunk.draw_indices) for chunk in found)
        return found

    def _fresh(self, chunk: Chunk, candidates: Sequence[Candidate], workers: Workers) -> list[dict[str, Any]]:
        """The rows of the candidates that have a problem which the cell lacks."""
        cell, rows = (chunk.operator, chunk.size), []
        self.unposed.update(each.reason for each in candidates if each.reason)
        for place, each in enumerate(candidates):
            if each.reason:
                continue
            if self.have[cell] == self.want[cell]:
                break
            if each.id in self.seen:
                self.unposed["posed before"] += 1
                continue
            if self.purpose and self.purpose.held_out != (uniform("held out", each.id) < TENTH):
                self.unposed["of the other side of the split"] += 1
                continue
            self.seen.add(each.id)
            self.have[cell] += 1
            rows.append(each.row or self._alone(chunk, place, workers))
        return rows

    def _alone(self, chunk: Chunk, place: int, workers: Workers) -> dict[str, Any]:
        """The row of a candidate that is known to make a problem which was not needed the last time."""
        (posed,) = workers.map(generate_chunk_in_worker, [_only(chunk, [place])])
        row = self._candidate(chunk, place, posed.attempts[0]).row
        if row is None:
            raise WorkerDied(f"candidate {attempt_key(chunk, place)}: expected a problem as the last time, got none")
        return row

    def report(self) -> dict[str, Any]:
        """What was posed and what was not, for the asset's page."""
        lines = [f"| {text(reason)} | {count} |" for reason, count in self.unposed.most_common()]
        short = {cell: self.want[cell] - self.have[cell] for cell in self.want if self.have[cell] < self.want[cell]}
        return {
            "not_posed": dg.MetadataValue.md("\n".join(["| reason | candidates |", "| --- | --- |", *lines])),
            "short_of": sum(short.values()),
            **({"posed": self.memory.posed, "kept": self.memory.kept} if self.memory else {}),
        }


def _without(chunk: Chunk, known: Sequence[Candidate | None]) -> Chunk:
    """The candidates of a chunk that are not known."""
    return _only(chunk, [place for place, each in enumerate(known) if each is None])


def _only(chunk: Chunk, places: Sequence[int]) -> Chunk:
    turns = tuple(chunk.draw_indices[place] for place in places)
    return replace(chunk, draw_indices=turns, records=tuple(chunk.records[place] for place in places if chunk.records))


@dg.asset(
    partitions_def=SETS,
    deps=[
        dg.AssetDep("problems", partition_mapping=SETS_OF_OPERATOR),
        dg.AssetDep("problem_sets", partition_mapping=SETS_OF_PROBLEM_SET),
    ],
    group_name="datasets",
    kinds={"parquet"},
    code_version=version_with(RECIPES, "1"),
    metadata={"partition_dimension": "recipe", "place_of_row": "extra_info.index"},
)
def training_sets(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per problem of a recipe, shuffled, in the columns that verl reads. A partition is a recipe."""
    recipe = RECIPES[context.partition_key]
    stored = (
        warehouse.dataset("problems")
        if recipe.source == "problems"
        else warehouse.dataset("problem_sets", {"problem_set": recipe.source})
    )
    chosen, short = chosen_rows(recipe, stored)
    context.add_output_metadata(
        {
            "recipe": recipe.description,
            "short_of": sum(short.values()),
            "cells": dg.MetadataValue.md(_cells(recipe, short)),
        }
    )
    return pa.Table.from_pylist([training_row(row, place) for place, row in enumerate(chosen)], schema=VERL)


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
