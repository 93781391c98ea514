"""Paths: found by the frontier search in shards that are kept while nothing they met has changed, then filtered."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import dagster as dg
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from races.assets.pictures import bars
from races.assets.tables.schemas import (
    MODELS,
    DiscoveredPaths,
    FilteredPaths,
    PathAilments,
    RejectedExtensions,
    SearchShards,
    arrow_schema,
    table,
)
from races.environments.composition.frontier import VERSION, CompatibleBricks, SearchSettings, shards, still_valid
from races.environments.composition.path import Matching
from races.environments.composition.quality import Filters, Health, HealthSettings, failed_health_checks
from races.environments.composition.rows import MEASURES, content_of
from races.environments.subpools import subpool
from races.environments.types import VOCABULARY
from races.resources.processes.worker_pool import search
from races.resources.store.materializations import last_materialization
from races.resources.store.warehouse import Partitions, Warehouse

Row = dict[str, Any]
ShardKey = tuple[str, str, int]
TABLES = ("discovered_paths", "rejected_extensions", "search_shards")
SHARD = ("search", "start_brick", "shard_index")  # the columns of all three that say which tree a row belongs to
ORDER = (*SHARD, "size", "path_id")


def out_of(name: str, version: str) -> dg.AssetOut:
    """A table of the paths, described by its model."""
    return dg.AssetOut(group_name="paths", description=MODELS[name].__doc__, kinds={"parquet"}, code_version=version)


class SearchConfig(dg.Config):
    """How paths are searched for; see races.environments.composition.frontier.SearchSettings."""

    seed: str = Field("races", description="What every draw is keyed by; another seed finds other paths.")
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
    witnesses: int = Field(24, ge=1, description="Fresh inputs that health is measured on.")
    workers: int = Field(0, ge=0, description="Processes; 0 takes one a core.")

    def searches(self) -> list[SearchSettings]:
        """The settings of the two searches: chains of any bricks, and chains whose order types do not give away."""
        common = {
            name: getattr(self, name) for name in ("seed", "matching", "filters", "extensions", "tries", "frontier")
        }
        common |= {"budget": self.budget, "probes": self.witnesses}
        return [
            SearchSettings(strategy=self.strategy, longest=self.longest, roots=self.chain_roots, **common),
            SearchSettings(strategy="orders", longest=self.longest_order, roots=self.order_roots, **common),
        ]


@dg.multi_asset(
    outs={name: out_of(name, VERSION) for name in TABLES},
    deps=["environments", "sub_pools", "type_graph"],
)
def path_search(
    context: dg.AssetExecutionContext, config: SearchConfig, warehouse: Warehouse
) -> Iterator[dg.Output[Partitions | pa.Table]]:
    """Grow the trees of the search; a tree whose bricks and offers are as they were is kept with all its rows."""
    kept = _kept_shards(warehouse, config)
    tasks = [
        (shard, settings)
        for settings in config.searches()
        for shard in shards(subpool(settings.pool), settings)
        if (settings.strategy, shard.start, shard.index) not in kept
    ]
    found: dict[str, list[Row]] = {}
    rejected, records = _old_rows(warehouse, TABLES[1], kept), _old_rows(warehouse, TABLES[2], kept)
    for result in search(tasks, config.workers or None):
        found.setdefault(result.record["start_brick"], []).extend(result.paths)
        rejected += result.rejections
        records.append(result.record)
    reasons: Counter[str] = Counter()
    for row in rejected:
        reasons[row["reason"]] += row["extensions"]
    parts, sizes = _parts(warehouse, kept, found)
    yield dg.Output(
        Partitions(parts),
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
    yield dg.Output(table(RejectedExtensions, _ordered(rejected)), "rejected_extensions", metadata={"by_reason": why})
    yield dg.Output(table(SearchShards, _ordered(records)), "search_shards")


def _parts(
    warehouse: Warehouse, kept: set[ShardKey], found: Mapping[str, list[Row]]
) -> tuple[list[tuple[dict[str, str], pa.Table | None]], Counter[int]]:
    """The paths by start brick, None where they stay as they are stored, and how many there are of each size."""
    stored = warehouse.read(TABLES[0], columns=[*SHARD, "size"]) if kept else pa.table({name: [] for name in SHARD})
    old: dict[str, list[bool]] = {}
    sizes: Counter[int] = Counter()
    for row in stored.to_pylist():
        stays = shard_key(row) in kept
        old.setdefault(row["start_brick"], []).append(stays)
        sizes[row["size"]] += stays
    parts: list[tuple[dict[str, str], pa.Table | None]] = []
    for name in sorted({*old, *found}):
        part, new = {"start_brick": name}, found.get(name, [])
        sizes.update(row["size"] for row in new)
        if all(old.get(name, [False])) and not new:
            parts.append((part, None))
        elif rows := [*(_old_rows(warehouse, TABLES[0], kept, part) if any(old.get(name, [])) else []), *new]:
            parts.append((part, table(DiscoveredPaths, _ordered(rows))))
    return parts, sizes


def _ordered(rows: list[Row]) -> list[Row]:
    """Rows in an order that does not depend on which of them were kept from an earlier search."""
    keys = (*ORDER, "environment", "reason")
    return sorted(rows, key=lambda row: [row[key] for key in keys if key in row])


def _kept_shards(warehouse: Warehouse, config: SearchConfig) -> set[ShardKey]:
    """The shards whose rows may stay: of these settings, and with every brick that they met as it was."""
    if not all(warehouse.exists(name) for name in TABLES):
        return set()
    paths, rejections = _stored_shards(warehouse)
    wanted = {s.strategy: (s, CompatibleBricks(subpool(s.pool), s.matching)) for s in config.searches()}
    kept = set()
    for row in warehouse.read("search_shards").to_pylist():
        if row["search"] not in wanted:
            continue
        settings, offers = wanted[row["search"]]
        there = row["start_brick"] in offers.environments and row["shard_index"] < settings.roots
        key = shard_key(row)
        whole = paths is None or content_of(paths.get(key, []), rejections.get(key, [])) == row["content"]
        same = there and row["settings"] == settings.key and whole
        if same and still_valid(json.loads(row["ran"]), json.loads(row["menus"]), offers, VOCABULARY):
            kept.add(key)
    return kept


def shard_key(row: Row) -> ShardKey:
    """The tree that a row of the three tables belongs to."""
    return row["search"], row["start_brick"], row["shard_index"]


def _by_shard(rows: list[Row]) -> dict[ShardKey, list[Row]]:
    found: dict[ShardKey, list[Row]] = {}
    for row in rows:
        found.setdefault(shard_key(row), []).append(row)
    return found


def _stored_shards(warehouse: Warehouse) -> tuple[dict[ShardKey, list[Row]] | None, dict[ShardKey, list[Row]]]:
    """The rows of paths and rejections by tree; None where they are known to belong to the stored trees.

    The tables are replaced one after another: a run that died in between has left rows of two searches. Where they are
    as one run left them, it did not, and nothing has to be read.
    """
    last = [last_materialization(warehouse.folder, name) for name in TABLES]
    together = len({each.get("run_id") for each in last}) == 1
    if together and all(each.get("data_version") == warehouse.version(n) for n, each in zip(TABLES, last, strict=True)):
        return None, {}
    paths, rejections = (_by_shard(warehouse.read(name).to_pylist()) for name in TABLES[:2])
    return paths, rejections


def _old_rows(warehouse: Warehouse, name: str, kept: set[ShardKey], part: Mapping[str, str] | None = None) -> list[Row]:
    """The rows of the kept shards in a table, or in one part of it."""
    return [row for row in warehouse.read(name, part).to_pylist() if shard_key(row) in kept] if kept else []


def _share(default: float, description: str) -> Any:
    return Field(default, ge=0, le=1, description=description)


class HealthConfig(dg.Config):
    """What a healthy composite must reach; see races.environments.composition.quality.HealthSettings."""

    alive: float = _share(0.8, "Least share of fresh inputs that run to the end.")
    healthy: float = _share(0.8, "Least share of final answers in the healthy range of their type.")
    distinct: int = Field(8, ge=1, description="Least number of different final answers.")
    top_share: float = _share(0.3, "Largest share of the commonest final answer.")
    identity: float = _share(0.3, "Largest share at which a step may repeat its input.")
    step_top_share: float = _share(0.5, "Largest share of one output at any step.")
    sensitivity: float = _share(0.7, "Least chance that two inputs differ in the output of any step.")
    idle_steps: int = Field(0, ge=0, description="Steps that may be left out with the same final answer.")

    def settings(self) -> HealthSettings:
        """The bounds on measured health."""
        return HealthSettings(
            **{k: v for k, v in self.model_dump().items() if k in HealthSettings.__dataclass_fields__}
        )


@dg.multi_asset(
    outs={name: out_of(name, "1") for name in ("filtered_paths", "path_ailments")},
    ins={"discovered_paths": dg.AssetIn("discovered_paths")},
)
def path_filter(
    context: dg.AssetExecutionContext, config: HealthConfig, discovered_paths: pa.Table
) -> Iterator[dg.Output[pa.Table]]:
    """Keep each path whose composite is healthy on fresh inputs, once; count what the others lack."""
    ordered = discovered_paths.take(pc.sort_indices(discovered_paths, [(name, "ascending") for name in ORDER]))
    kept: list[int] = []
    counts: Counter[tuple[str, int, str]] = Counter()
    seen: set[str] = set()
    settings = config.settings()
    rows = ordered.select(["search", "size", "path_id", "idle_steps", *MEASURES]).to_pylist()
    for place, (row, last) in enumerate(zip(rows, _last(ordered["types"]), strict=True)):
        lacking = _lacking(row, last, settings, config.idle_steps)
        if row["path_id"] in seen:
            lacking = ["found before"]
        seen.add(row["path_id"])
        for ailment in lacking or ["kept"]:
            counts[row["search"], row["size"], ailment] += 1
        if not lacking:
            kept.append(place)
    totals: Counter[str] = Counter()
    for (_, _, ailment), count in counts.items():
        totals[ailment] += count
    why = dg.MetadataValue.md(bars("paths by what they lack", dict(totals.most_common())))
    columns = arrow_schema(FilteredPaths)
    healthy = ordered.take(kept).select(columns.names).cast(columns)
    yield dg.Output(healthy, "filtered_paths", metadata={"by_ailment": why})
    yield dg.Output(table(PathAilments, _count_rows(counts)), "path_ailments")


def _last(lists: pa.ChunkedArray) -> list[str]:
    """The last entry of each list."""
    whole = lists.combine_chunks()
    found: list[str] = whole.values.take(pc.subtract(whole.offsets[1:], 1)).to_pylist()
    return found


def _lacking(row: Row, kind: str, settings: HealthSettings, idle: int) -> Sequence[str]:
    """What a path that ends in this type lacks, by name."""
    found = failed_health_checks(Health(**{name: row[name] for name in MEASURES}), VOCABULARY[kind], settings)
    return [*found, "a step can be left out"] if row["idle_steps"] > idle else found


def _count_rows(counts: Mapping[tuple[str, int, str], int]) -> list[Row]:
    return [
        {"search": name, "size": size, "ailment": ailment, "paths": count}
        for (name, size, ailment), count in sorted(counts.items())
    ]
