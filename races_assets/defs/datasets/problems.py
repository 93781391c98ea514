"""Problems by operator, as many as the recipes take."""

from collections.abc import Iterator

import dagster as dg
import pyarrow as pa
from pydantic import Field

from races.assets.catalog.partitions import OPERATORS
from races.assets.catalog.recipes import needed
from races.assets.defs.datasets.path_records import stored_paths
from races.assets.defs.datasets.problem_cache import ProblemCache
from races.assets.defs.datasets.problem_generation import ProblemGeneration
from races.assets.tags import AUTO_REBUILD
from races.environments.operators import SIZES
from races.environments.operators.problem import AnswerStyle
from races.resources.store.warehouse import Warehouse


class ProblemsConfig(dg.Config):
    """How many problems are generated, and how answers are to be written."""

    per_cell: int = Field(0, ge=0, description="Problems of each size; 0 takes what the recipes need.")
    answer_style: AnswerStyle = Field("tags", description="tags for <answer>...</answer>, or boxed for LaTeX.")
    seed: str = Field("races", description="Seed of all draws; another seed gives other problems.")
    workers: int = Field(0, ge=0, description="Processes; 0 takes one a core.")


@dg.asset(
    partitions_def=OPERATORS,
    deps=["environments", "sub_pools", "filtered_paths"],
    kinds={"parquet"},
    code_version="1",
    tags=AUTO_REBUILD,
    metadata={"partition_dimension": "operator"},
)
def problems(context: dg.AssetExecutionContext, config: ProblemsConfig, warehouse: Warehouse) -> pa.RecordBatchReader:
    """One row per problem: its prompt, its gold answer and all that its score needs. A partition is an operator."""
    operator = context.partition_key
    want = {(operator, size): config.per_cell or needed().get((operator, size), 0) for size in SIZES[operator]}
    cache = ProblemCache(warehouse, "problems", {"operator": operator})
    generation = ProblemGeneration(want, config, {operator: stored_paths(warehouse, operator)}, cache=cache)

    def batches() -> Iterator[pa.RecordBatch]:
        yield from generation.batches()
        context.add_asset_metadata(generation.report(), partition_key=operator)

    return pa.RecordBatchReader.from_batches(generation.schema, batches())
