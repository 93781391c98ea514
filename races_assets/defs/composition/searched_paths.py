"""What a search found, in counts: type-correct, found and healthy paths, and how evenly bricks are used."""

from collections import Counter
from itertools import pairwise
from typing import Any

from races.environments.composition.balance import evenness
from races.environments.composition.frontier import SearchSettings
from races.environments.composition.quality import Health, HealthSettings, failed_health_checks
from races.environments.composition.type_graph import type_graph
from races.environments.subpools import subpool
from races.environments.types import VOCABULARY

Row = dict[str, Any]


def counts_by_size(settings: SearchSettings, paths: list[Row], executions: int) -> list[Row]:
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
    return not path["redundant_steps"] and not failed_health_checks(
        measured, VOCABULARY[path["types"][-1]], HealthSettings()
    )
