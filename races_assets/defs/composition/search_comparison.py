"""What searches of different sub-pools, matchings and strategies find, side by side."""

from itertools import product

import dagster as dg
import pyarrow as pa
from pydantic import Field

from races.assets.defs.composition.searched_paths import counts_by_size
from races.assets.tables.columns import table
from races.assets.tables.composition import SearchComparison
from races.environments.composition.frontier import SearchSettings, shards
from races.environments.composition.path import Matching
from races.environments.subpools import subpool
from races.resources.processes.worker_pool import search

POOLS = ("core_50", "training")
MATCHINGS: tuple[Matching, Matching] = ("exact", "subtype")
STRATEGIES = ("chains", "balanced")


class SearchComparisonConfig(dg.Config):
    """How many trees each search grows."""

    roots: int = Field(1, ge=1, description="Trees of each start brick.")
    workers: int = Field(0, ge=0, description="Processes; 0 takes one a core.")


@dg.asset(deps=["environments", "sub_pools"], kinds={"parquet"}, code_version="1")
def search_comparison(config: SearchComparisonConfig) -> pa.Table:
    """One row per pool, matching, search and size: type-correct, found and healthy paths, and how even the use is."""
    rows = []
    for pool, matching, strategy in product(POOLS, MATCHINGS, STRATEGIES):
        settings = SearchSettings(pool=pool, matching=matching, strategy=strategy, roots=config.roots)  # type: ignore[arg-type]  # of STRATEGIES
        tasks = [(shard, settings) for shard in shards(subpool(pool), settings)]
        results = list(search(tasks, config.workers or None, f"{pool} {matching} {strategy}"))
        paths = [path for result in results for path in result.paths]
        executions = sum(result.record["executions"] for result in results)
        rows += counts_by_size(settings, paths, executions)
    return table(SearchComparison, rows)
