"""The table of bricks: one profiled row for each."""

import dagster as dg
import pyarrow as pa

from races.assets.defs.pool.brick_profiles import environment_row, recorded
from races.assets.tables.columns import table
from races.assets.tables.pool import Environments
from races.assets.tags import AUTO_REBUILD
from races.environments.profile import VERSION
from races.environments.registry import pool
from races.resources.store.warehouse import Warehouse


@dg.asset(deps=["environment_sources"], kinds={"parquet"}, code_version=f"{VERSION}-2", tags=AUTO_REBUILD)
def environments(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per environment of the pool, or brick: its statement, types and measured card.

    Only bricks whose fingerprint has changed are measured again.
    """
    known = {}
    if warehouse.exists("environments"):
        known = {(row["fingerprint"], row["measured_by"]): row for row in warehouse.read("environments").to_pylist()}
    rows = [known.get((brick.fingerprint, VERSION)) or environment_row(brick) for brick in pool().values()]
    rows = [row | recorded(row["name"], row["fingerprint"]) for row in rows]
    rows = [row | {"grade": pool()[row["name"]].grade} for row in rows]  # the fingerprint does not cover it
    kept = sum((row["fingerprint"], row["measured_by"]) in known for row in rows)
    context.add_output_metadata({"profiled": len(rows) - kept, "kept": kept, "themes": len({r["theme"] for r in rows})})
    return table(Environments, rows)
