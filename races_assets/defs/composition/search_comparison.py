"""The composition space in figures: what searches of different pools, matchings and strategies find."""

from collections import Counter
from itertools import pairwise, product
from typing import Any

import dagster as dg
import pyarrow as pa
from pydantic import Field

from races.assets.tables.schemas import CompositionFigures, table
from races.environments.composition.balance import evenness
from races.environments.composition.frontier import SearchSettings, shards
from races.environments.composition.path import Matching
from races.environments.composition.quality import Health, HealthSettings, failed_health_checks
from races.environments.composition.type_graph import type_graph
from races.environments.subpools import subpool
from races.environments.types import VOCABULARY
from races.resources.processes.worker_pool import search

Row = dict[str, Any]
POOLS = ("core_50", "training")
MATCHINGS: tuple[Matching, Matching] = ("exact", "subtype")
STRATEGIES = ("chains", "balanced")


class FiguresConfig(dg.Config):
    """How much is searched for the figures."""

    roots: int = Field(1, ge=1, description="Trees of each start brick.")
    workers: int = Field(0, ge=0, description="Processes; 0 takes one a core.")


@dg.asset(deps=["environments", "sub_pools"], group_name="composition", kinds={"parquet"}, code_version="1")
def composition_figures(config: FiguresConfig) -> pa.Table:
    """One row per pool, matching, search and size: type-correct, found and healthy paths, and how even the use is."""
    rows = []
    for part, matching, strategy in product(POOLS, MATCHINGS, STRATEGIES):
        settings = SearchSettings(pool=part, matching=matching, strategy=strategy, roots=config.roots)  # type: ignore[arg-type]  # of STRATEGIES
        tasks = [(shard, settings) for shard in shards(subpool(part), settings)]
        results = list(search(tasks, config.workers or None, f"{part} {matching} {strategy}"))
        paths = [path for result in results for path in result.paths]
        executions = sum(result.record["executions"] for result in results)
        rows += figures(settings, paths, executions)
    return table(CompositionFigures, rows)


def figures(settings: SearchSettings, paths: list[Row], executions: int) -> list[Row]:
    """The rows of one search: for each size, and of the whole search beside them."""
    bricks = subpool(settings.pool)
    space = type_graph(bricks, settings.matching).paths(settings.longest)
    sound_paths = [path for path in paths if healthy(path)]
    found, sound = Counter(p["size"] for p in paths), Counter(p["size"] for p in sound_paths)
    use = Counter(name for path in sound_paths for name in path["environments"])
    whole = {
        "pool": settings.pool,
        "matching": settings.matching,
        "search": settings.strategy,
        "bricks": len(bricks),
        "executions": executions,
        "bricks_used": len(use),
        "type_pairs_used": len({pair for path in sound_paths for pair in pairwise(path["types"][1:])}),
        "evenness": evenness(use, len(bricks)),
    }
    return [
        {**whole, "size": size, "type_paths": float(space[size]), "found": found[size], "healthy": sound[size]}
        for size in range(2, settings.longest + 1)
    ]


def healthy(path: Row) -> bool:
    """Whether a path that a search found is healthy and has no step that could be left out."""
    measured = Health(**{name: path[name] for name in Health.__dataclass_fields__})
    return not path["idle_steps"] and not failed_health_checks(
        measured, VOCABULARY[path["types"][-1]], HealthSettings()
    )
