"""The outputs of the assets of paths."""

import dagster as dg

from races.assets.tables.table_catalog import MODELS
from races.assets.tags import AUTO_REBUILD


def out_of(name: str, version: str) -> dg.AssetOut:
    """A table of the paths, described by its row model."""
    return dg.AssetOut(description=MODELS[name].__doc__, kinds={"parquet"}, code_version=version, tags=AUTO_REBUILD)
