"""Which bricks are in which sub-pool."""

import dagster as dg
import pyarrow as pa

from races.assets.tables.columns import table
from races.assets.tables.composition import SubPools
from races.assets.tags import AUTO_REBUILD
from races.environments.subpools import subpool, subpool_names


@dg.asset(deps=["environment_sources", "environments"], kinds={"parquet"}, code_version="1", tags=AUTO_REBUILD)
def sub_pools() -> pa.Table:
    """One row per sub-pool and brick in it: those to train on, those held out, small ones to compare."""
    return table(SubPools, [{"pool": pool, "name": name} for pool in subpool_names() for name in subpool(pool)])
