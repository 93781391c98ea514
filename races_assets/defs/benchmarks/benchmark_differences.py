"""Checkpoints against one another on the same questions of benchmarks."""

import dagster as dg
import pyarrow as pa

from races.assets.defs.benchmarks.checkpoint_pairs import differences, pairs_picture
from races.assets.defs.benchmarks.scored_samples import SAMPLES, stored
from races.assets.tables.benchmarks import BenchmarkDifferences
from races.assets.tables.columns import table
from races.resources.store.warehouse import Warehouse


@dg.asset(deps=[SAMPLES], kinds={"parquet"}, code_version="1")
def benchmark_differences(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per benchmark and pair of checkpoints on the same questions: the second minus the first, paired."""
    rows = differences(stored(warehouse))
    pictures = {
        f"differences, {data}": dg.MetadataValue.md(
            pairs_picture(data, [row for row in rows if row["data"] == data]).markdown
        )
        for data in sorted({row["data"] for row in rows})
    }
    context.add_output_metadata(pictures)
    return table(BenchmarkDifferences, rows)
