"""Averages over the benchmarks, as the paper takes them."""

import dagster as dg
import pyarrow as pa

from races.assets.defs.benchmarks.checkpoint_averages import averages
from races.assets.defs.benchmarks.scored_samples import SAMPLES, interval, stored
from races.assets.tables.benchmarks import BenchmarkAverages
from races.assets.tables.columns import table
from races.resources.store.warehouse import Warehouse


@dg.asset(deps=[SAMPLES], kinds={"parquet"}, code_version="2")
def benchmark_averages(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per checkpoint with all six benchmarks of one kind of data, and per pair of such: the paper's average."""
    rows = averages(stored(warehouse))
    lines = [
        "| checkpoint | data | average of the paper's columns | 95 % interval | mean of six |",
        "| - | - | - | - | - |",
    ]
    for row in rows:
        name = f"{row['checkpoint']} - {row['baseline']}" if row["baseline"] else row["checkpoint"]
        lines.append(f"| {name} | {row['data']} | {row['average']:.3f} | {interval(row)} | {row['mean_of_six']:.3f} |")
    context.add_output_metadata({"averages": dg.MetadataValue.md("\n".join(lines))})
    return table(BenchmarkAverages, rows)
