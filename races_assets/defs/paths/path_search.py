"""The search for paths, in trees that are kept while nothing they depend on has changed."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

import dagster as dg
import pyarrow as pa
from pydantic import Field

from races.assets.defs.paths.outputs import out_of
from races.assets.defs.paths.search_trees import TABLES, kept_shards, old_rows, ordered, paths_by_start
from races.assets.pictures import bars
from races.assets.tables.columns import table
from races.assets.tables.paths import RejectedExtensions, SearchShards
from races.environments.composition.frontier import VERSION, SearchSettings, shards
from races.environments.composition.path import Matching
from races.environments.composition.quality import Filters
from races.environments.subpools import subpool
from races.resources.processes.worker_pool import search
from races.resources.store.warehouse import Partitions, Warehouse

Row = dict[str, Any]


class SearchConfig(dg.Config):
    """How paths are searched for; see races.environments.composition.frontier.SearchSettings."""

    seed: str = Field("races", description="Seed of all draws; another seed finds other paths.")
    matching: Matching = Field("subtype", description="subtype, or exact as in the paper.")
    filters: Filters = Field("healthy", description="healthy ranges of types, or the paper's filters.")
    strategy: Literal["balanced", "chains"] = Field(
        "balanced", description="balanced, or chains for the paper's draws."
    )
    chain_roots: int = Field(1, ge=1, description="Trees of each start brick for chains of any bricks.")
    order_roots: int = Field(2, ge=1, description="Trees of each start brick for chains whose order types hide.")
    longest: int = Field(12, ge=2, description="Bricks in a chain.")
    longest_order: int = Field(6, ge=2, le=8, description="Bricks in a chain whose order is to be found.")
    extensions: int = Field(3, ge=1, description="Extensions that are kept at a state.")
    tries: int = Field(8, ge=1, description="Bricks that are run at a state.")
    frontier: int = Field(3, ge=1, description="States of one depth that are extended.")
    budget: int = Field(2, ge=1, description="How often a brick is kept in a tree.")
    probes: int = Field(24, ge=1, description="Probe inputs that health is measured on.")
    workers: int = Field(0, ge=0, description="Processes; 0 takes one a core.")

    def searches(self) -> list[SearchSettings]:
        """The settings of the two searches: chains of any bricks, and chains whose order types do not give away."""
        common = {
            name: getattr(self, name) for name in ("seed", "matching", "filters", "extensions", "tries", "frontier")
        }
        common |= {"budget": self.budget, "probes": self.probes}
        return [
            SearchSettings(strategy=self.strategy, longest=self.longest, roots=self.chain_roots, **common),
            SearchSettings(strategy="orders", longest=self.longest_order, roots=self.order_roots, **common),
        ]


@dg.multi_asset(
    outs={name: out_of(name, f"{VERSION}-2") for name in TABLES},
    deps=["environments", "sub_pools", "type_graph"],
)
def path_search(
    context: dg.AssetExecutionContext, config: SearchConfig, warehouse: Warehouse
) -> Iterator[dg.Output[Partitions | pa.Table]]:
    """Grow the trees of the search; a tree stays, with all its rows, while its bricks and all compatible ones do."""
    kept = kept_shards(warehouse, config.searches())
    tasks = [
        (shard, settings)
        for settings in config.searches()
        for shard in shards(subpool(settings.pool), settings)
        if (settings.strategy, shard.start, shard.index) not in kept
    ]
    found: dict[str, list[Row]] = {}
    rejected, records = old_rows(warehouse, TABLES[1], kept), old_rows(warehouse, TABLES[2], kept)
    for result in search(tasks, config.workers or None):
        found.setdefault(result.record["start_brick"], []).extend(result.paths)
        rejected += result.rejections
        records.append(result.record)
    reasons: Counter[str] = Counter()
    for row in rejected:
        reasons[row["reason"]] += row["extensions"]
    partitions, sizes = paths_by_start(warehouse, kept, found)
    yield dg.Output(
        Partitions(partitions),
        "discovered_paths",
        metadata={
            "trees_grown": len(tasks),
            "trees_kept": len(kept),
            "by_size": dg.MetadataValue.md(
                bars("paths by number of bricks", {str(n): sizes[n] for n in sorted(sizes)})
            ),
        },
    )
    why = dg.MetadataValue.md(bars("rejected extensions by reason", dict(reasons.most_common())))
    yield dg.Output(table(RejectedExtensions, ordered(rejected)), "rejected_extensions", metadata={"by_reason": why})
    yield dg.Output(table(SearchShards, ordered(records)), "search_shards")
