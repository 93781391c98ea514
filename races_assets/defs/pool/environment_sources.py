"""The bricks as they are declared: observed, not made."""

import dagster as dg

from races.assets.defs.pool.source_versions import FILES, changed_bricks, files_version, sources_version
from races.environments.registry import faults, pool
from races.resources.store.warehouse import Warehouse

SOURCES = """Bricks, types, sub-pools and records, as they are declared, those of RACES_BRICKS and of installed
packages included. Their version follows what they are: it stays the same where a comment, the layout or code that no
brick reaches is edited. After an edit, what was made of the old code becomes Unsynced, and bricks that are new or
changed are named here."""


@dg.observable_source_asset(description=SOURCES, tags={"dagster/kind/python": ""})
def environment_sources(warehouse: Warehouse) -> dg.ObserveResult:
    """The version of the bricks that this process has loaded, with that of the files they may come from."""
    # Before the bricks are loaded: an edit while they are is seen as an edit afterwards, and not missed.
    files = files_version()
    return dg.ObserveResult(
        data_version=dg.DataVersion(sources_version()),
        metadata={
            FILES: files,
            "bricks": len(pool()),
            "new_or_changed_bricks": changed_bricks(warehouse),
            "left_out_of_the_pool": "; ".join(map(str, faults())) or "none",
        },
    )
