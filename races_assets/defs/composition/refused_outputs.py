"""How many outputs of other bricks each brick refuses."""

import dagster as dg
import pyarrow as pa

from races.assets.tables.columns import table
from races.assets.tables.composition import RefusedOutputs
from races.assets.tags import AUTO_REBUILD
from races.environments.audit import contract
from races.environments.registry import pool


@dg.asset(deps=["environments"], kinds={"parquet"}, code_version="2", tags=AUTO_REBUILD)
def refused_outputs() -> pa.Table:
    """One row per environment: how many outputs of other bricks it refuses."""
    outputs = contract.other_outputs(pool())
    rows = []
    for name, brick in pool().items():
        refused, tried = contract.refused_outputs(brick, outputs.get(brick.domain.name, []))
        rows.append({"name": name, "refused": refused, "tried": tried})
    return table(RefusedOutputs, rows)
