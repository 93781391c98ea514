"""The trees of the search as they are stored: which may stay, and the rows of those that do."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from races.assets.tables.columns import arrow_schema, table
from races.assets.tables.paths import DiscoveredPaths
from races.assets.tables.table_catalog import MODELS
from races.environments.composition.frontier import CompatibleBricks, SearchSettings, still_valid
from races.environments.composition.rows import content_of
from races.environments.subpools import subpool
from races.environments.types import VOCABULARY
from races.resources.store.materializations import last_materialization
from races.resources.store.warehouse import Warehouse

Row = dict[str, Any]
ShardKey = tuple[str, str, int]
TABLES = ("discovered_paths", "rejected_extensions", "search_shards")
SHARD = ("search", "start_brick", "shard_index")  # the columns of all three that say which tree a row belongs to
ORDER = (*SHARD, "size", "path_id")


def paths_by_start(
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
    partitions: list[tuple[dict[str, str], pa.Table | None]] = []
    for name in sorted({*old, *found}):
        partition, new = {"start_brick": name}, found.get(name, [])
        sizes.update(row["size"] for row in new)
        if all(old.get(name, [False])) and not new:
            partitions.append((partition, None))
        elif rows := [*(old_rows(warehouse, TABLES[0], kept, partition) if any(old.get(name, [])) else []), *new]:
            partitions.append((partition, table(DiscoveredPaths, ordered(rows))))
    return partitions, sizes


def ordered(rows: list[Row]) -> list[Row]:
    """Rows in an order that does not depend on which of them were kept from an earlier search."""
    keys = (*ORDER, "environment", "reason")
    return sorted(rows, key=lambda row: [row[key] for key in keys if key in row])


def kept_shards(warehouse: Warehouse, searches: Sequence[SearchSettings]) -> set[ShardKey]:
    """The shards whose rows may stay: of these settings, and with all that they depend on as it was."""
    if not all(warehouse.exists(name) and _has_columns(warehouse, name) for name in TABLES):
        return set()
    paths, rejections = _stored_shards(warehouse)
    wanted = {s.strategy: (s, CompatibleBricks(subpool(s.pool), s.matching)) for s in searches}
    kept = set()
    for row in warehouse.read("search_shards").to_pylist():
        if row["search"] not in wanted:
            continue
        settings, offers = wanted[row["search"]]
        there = row["start_brick"] in offers.environments and row["shard_index"] < settings.roots
        key = shard_key(row)
        whole = paths is None or content_of(paths.get(key, []), rejections.get(key, [])) == row["content"]
        same = there and row["settings"] == settings.key and whole
        if same and still_valid(json.loads(row["ran"]), json.loads(row["compatible_bricks"]), offers, VOCABULARY):
            kept.add(key)
    return kept


def _has_columns(warehouse: Warehouse, name: str) -> bool:
    """Whether a stored table has the columns of its model: one of an earlier version is made anew."""
    return set(arrow_schema(MODELS[name]).names) <= set(warehouse.dataset(name).schema.names)


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


def old_rows(
    warehouse: Warehouse, name: str, kept: set[ShardKey], partition: Mapping[str, str] | None = None
) -> list[Row]:
    """The rows of the kept shards in a table, or in one partition of it."""
    return [row for row in warehouse.read(name, partition).to_pylist() if shard_key(row) in kept] if kept else []
