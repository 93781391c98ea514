"""Scores on benchmarks with their uncertainty."""

import dagster as dg
import pyarrow as pa

from races.assets.catalog.partitions import BENCHMARKED
from races.assets.defs.benchmarks.scored_samples import MEASURED, OF_ALL, SAMPLES, scores, scores_table, shared
from races.assets.tables.benchmarks import BenchmarkScores
from races.assets.tables.columns import table
from races.environments.errors import InvalidValue
from races.resources.evaluation.suites.datasets import BENCHMARKS
from races.resources.store.warehouse import Warehouse


@dg.asset(
    partitions_def=BENCHMARKED,
    deps=[SAMPLES],
    kinds={"parquet"},
    code_version="1",
)
def benchmark_scores(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per checkpoint, benchmark, measure and subset of its questions: the value and how uncertain it is."""
    key = context.partition_key
    if not isinstance(key, dg.MultiPartitionKey):
        raise InvalidValue(f"expected a checkpoint and a benchmark, got {key!r}")
    partition = dict(key.keys_by_dimension)
    samples = warehouse.read(SAMPLES, partition, columns=[*MEASURED, *OF_ALL]).to_pylist()
    common = partition | shared(samples, f"{partition['benchmark']} by {partition['checkpoint']}")
    rows = [common | row for row in scores(partition["benchmark"], samples)]
    title = f"{BENCHMARKS[partition['benchmark']].title}, {common['data']}"
    context.add_output_metadata({"data": common["data"], "scores": dg.MetadataValue.md(scores_table(title, rows))})
    return table(BenchmarkScores, rows)
