"""What changed in the pool, rebuild by rebuild; how many rows of each table that replaced is in `materializations`."""

from collections import Counter

import dagster as dg
import pyarrow as pa

from races.assets.defs.pool.brick_changes import changed
from races.assets.tables.columns import table
from races.assets.tables.pool import Changes
from races.assets.tags import AUTO_REBUILD
from races.resources.store.warehouse import Warehouse


@dg.asset(deps=["environments"], kinds={"parquet"}, code_version="1", tags=AUTO_REBUILD)
def changes(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per environment that a rebuild found added, changed, renamed or removed; rows are only ever added."""
    reported = warehouse.read("changes").to_pylist() if warehouse.exists("changes") else []
    columns = ["name", "fingerprint", "statement", "signature"]
    fresh = changed(reported, warehouse.read("environments", columns=columns).to_pylist(), context.run.run_id)
    counts = Counter(row["change"] for row in fresh)
    names = {kind: ", ".join(row["name"] for row in fresh if row["change"] == kind) for kind in counts}
    context.add_output_metadata({kind: f"{counts[kind]}: {names[kind]}" for kind in sorted(counts)})
    return table(Changes, [*reported, *fresh])
