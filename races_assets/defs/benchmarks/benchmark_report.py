"""The paper's results, and ours beside them where they compare; the rest of ours in tables of its own."""

import dagster as dg
import pyarrow as pa

from races.assets.defs.benchmarks.paper_rows import OFFICIAL, averaged, described, ours, paper_row, scored
from races.assets.defs.benchmarks.report_tables import report
from races.assets.tables.benchmarks import BenchmarkReport
from races.assets.tables.columns import table
from races.resources.store.warehouse import Warehouse


@dg.asset(
    deps=["paper_results", "benchmark_scores", "benchmark_averages"],
    kinds={"parquet"},
    code_version="1",
)
def benchmark_report(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per result of the paper, and of ours that compare with it: its models, on data of official size."""
    paper = warehouse.read("paper_results").to_pylist()
    models = list(dict.fromkeys(row["model"] for row in paper))
    scores, averages = scored(warehouse), averaged(warehouse)
    beside = [row for row in scores if row["data"] == OFFICIAL and described(row)["model"] in models]
    shown = {(row["checkpoint"], row["data"]) for row in beside}
    rows = [paper_row(row) for row in paper] + ours(beside, averages)
    page = report(
        models,
        rows,
        *([row for row in some if (row["checkpoint"], row["data"]) not in shown] for some in (scores, averages)),
    )
    context.add_output_metadata({"report": dg.MetadataValue.md(page)})
    return table(BenchmarkReport, rows)
