"""Sets of problems for a purpose of their own."""

from collections.abc import Iterator

import dagster as dg
import pyarrow as pa
from pydantic import Field

from races.assets.catalog.partitions import PROBLEM_SET_PARTITIONS
from races.assets.catalog.recipes import PROBLEM_SETS, ProblemSet, version_with
from races.assets.defs.datasets.path_records import search_settings, searched_paths, stored_paths
from races.assets.defs.datasets.problem_cache import ProblemCache
from races.assets.defs.datasets.problem_generation import ProblemGeneration
from races.assets.defs.datasets.problems import ProblemsConfig
from races.assets.tags import AUTO_REBUILD
from races.environments.generation.cache_keys import generation_version
from races.environments.operators import FROM_PATHS
from races.environments.seeding import key_of
from races.environments.subpools import subpool
from races.resources.store.warehouse import Warehouse


class SetsConfig(dg.Config):
    """How many problems of a set are generated."""

    per_cell: int = Field(0, ge=0, description="Problems of each operator and size; 0 takes what the set says.")
    seed: str = Field("races", description="Seed of all draws; another seed gives other problems.")
    workers: int = Field(0, ge=0, description="Processes; 0 takes one a core.")


@dg.asset(
    partitions_def=PROBLEM_SET_PARTITIONS,
    deps=["environments", "sub_pools", "filtered_paths"],
    kinds={"parquet"},
    code_version=version_with(PROBLEM_SETS, "1"),
    tags=AUTO_REBUILD,
    metadata={"partition_dimension": "problem_set"},
)
def problem_sets(context: dg.AssetExecutionContext, config: SetsConfig, warehouse: Warehouse) -> pa.RecordBatchReader:
    """One row per problem of a set with a purpose of its own: to measure models on, or to train a small one."""
    purpose = PROBLEM_SETS[context.partition_key]
    asked = sorted({operator for operator, _ in purpose.cells if operator in FROM_PATHS})
    stored = purpose.paths_from == "filtered_paths"
    cache = ProblemCache(
        warehouse, "problem_sets", {"problem_set": purpose.name}, "" if stored else _cache_key(purpose, config)
    )
    if (kept := cache.unchanged()) is not None:
        context.add_asset_metadata({"generated": 0, "kept": cache.kept}, partition_key=purpose.name)
        return kept.to_reader()
    if stored:
        records = {operator: stored_paths(warehouse, operator) for operator in asked}
    else:
        records = {operator: searched_paths(purpose, operator, config.workers or None) for operator in asked}
    want = {cell: config.per_cell or count for cell, count in purpose.cells.items()}
    how = ProblemsConfig(per_cell=0, answer_style="tags", seed=f"{config.seed} {purpose.name}", workers=config.workers)
    generation = ProblemGeneration(want, how, records, purpose, cache)

    def batches() -> Iterator[pa.RecordBatch]:
        yield from generation.batches()
        context.add_asset_metadata(generation.report(), partition_key=purpose.name)

    return pa.RecordBatchReader.from_batches(generation.schema, batches())


def _cache_key(purpose: ProblemSet, config: SetsConfig) -> str:
    """A hash of all that a set depends on whose sub-pool is searched for it alone."""
    bricks = [
        (brick.name, brick.fingerprint) for brick in subpool(purpose.distractors_from or purpose.sub_pool).values()
    ]
    settings = [search_settings(purpose, operator).key for operator in FROM_PATHS]
    return key_of(generation_version(), settings, repr(purpose), config.per_cell, config.seed, bricks)
