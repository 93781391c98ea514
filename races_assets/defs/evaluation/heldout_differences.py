"""Checkpoints against the base models that they started from, on held-out problems."""

import dagster as dg
import pyarrow as pa

from races.assets.defs.evaluation.paired_scores import CELL, differences, heldout_picture
from races.assets.tables.columns import table
from races.assets.tables.evaluation import HeldoutDifferences
from races.assets.tags import IN_RUN
from races.resources.store.warehouse import Warehouse


@dg.asset(deps=["heldout_scores", "checkpoints"], kinds={"parquet"}, code_version="2", tags=IN_RUN)
def heldout_differences(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per checkpoint, what is unseen, and operator and size or a mean over them: it against its base model."""
    rows = [
        row for part in warehouse.partitions("heldout_scores") for row in differences(warehouse, part["checkpoint"])
    ]
    picture = heldout_picture([row for row in rows if row["grain"] != CELL])
    context.add_output_metadata({"differences": dg.MetadataValue.md(picture.markdown)})
    return table(HeldoutDifferences, rows)
