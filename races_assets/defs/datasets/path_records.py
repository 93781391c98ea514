"""The paths that operators make problems of: stored ones, or those of a search of their own."""

from typing import Any

import pyarrow.compute as pc

from races.assets.catalog.recipes import ProblemSet
from races.assets.defs.composition.searched_paths import healthy
from races.environments.composition.frontier import CompatibleBricks, SearchSettings, shards
from races.environments.composition.path import PathRecord
from races.environments.operators import FROM_PATHS, select, sort
from races.environments.seeding import uniform
from races.environments.subpools import subpool
from races.environments.types import LEVELS
from races.resources.processes.worker_pool import search
from races.resources.store.warehouse import Warehouse


def stored_paths(warehouse: Warehouse, operator: str) -> dict[int, list[PathRecord]]:
    """The stored paths that an operator may make problems of, by size, in an order that mixes start bricks."""
    if operator not in FROM_PATHS:
        return {}
    # The order of the steps is asked for by SORT and SELECT alone: their paths come from the search that hides it.
    hidden = pc.field("search") == "orders"
    columns = ["path_id", "level", "environments", "start", "outputs", "size", "feasible_orders"]
    found = warehouse.read(
        "filtered_paths", columns=columns, where=~hidden if operator == "sequential" else hidden
    ).to_pylist()
    records: dict[int, list[PathRecord]] = {}
    for row in sorted(found, key=lambda row: uniform("mix", operator, row["path_id"])):
        if operator != "sort" or _open_enough(row):
            records.setdefault(row["size"], []).append(path_record(row))
    return records


def _open_enough(row: dict[str, Any]) -> bool:
    """Whether types leave enough orders of a path open for SORT to take it, whatever its values."""
    orders: int = row["feasible_orders"]
    return orders * sort.allowed_chance(row["size"]) >= 1


def path_record(row: dict[str, Any]) -> PathRecord:
    """The path of a row of discovered_paths."""
    return PathRecord(row["path_id"], row["level"], tuple(row["environments"]), row["start"], tuple(row["outputs"]))


def searched_paths(purpose: ProblemSet, operator: str, workers: int | None) -> dict[int, list[PathRecord]]:
    """The healthy paths of a sub-pool that is too small for the search of the whole pool to be of use."""
    settings = search_settings(purpose, operator)
    offers = CompatibleBricks(subpool(purpose.sub_pool), settings.matching)
    tasks = [(shard, settings) for shard in shards(offers.environments, settings)]
    wider = (
        CompatibleBricks(subpool(purpose.distractors_from), settings.matching) if purpose.distractors_from else offers
    )
    found: dict[int, dict[tuple[str, ...], PathRecord]] = {}
    for result in search(tasks, workers, f"paths of {purpose.sub_pool} for {operator}"):
        for row in result.paths:
            if healthy(row) and _may_be_taken(row, operator, wider):
                record = path_record(row)
                found.setdefault(row["size"], {}).setdefault(record.environments, record)
    return {
        size: sorted(records.values(), key=lambda each: uniform("mix", operator, *each.environments))
        for size, records in found.items()
    }


def _may_be_taken(row: dict[str, Any], operator: str, offers: CompatibleBricks) -> bool:
    """Whether types let an operator take a path of a small sub-pool at all, so that no round goes to waste."""
    if operator == "select":
        return select.may_be_open([offers.environments[name] for name in row["environments"]], offers)
    return operator != "sort" or _open_enough(row)


def search_settings(purpose: ProblemSet, operator: str) -> SearchSettings:
    """The settings of the search of a set's own sub-pool, for an operator."""
    return SearchSettings(
        pool=purpose.sub_pool,
        strategy="balanced" if operator == "sequential" else "orders",
        longest=max((size for name, size in purpose.cells if name == operator), default=1),
        roots=len(LEVELS),
        extensions=6,
        frontier=24,
        budget=24,
    )
