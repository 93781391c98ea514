"""Healthy paths as records in memory, found by a small search of our own, so that no warehouse is needed."""

from functools import cache

from races.environments.composition.frontier import CompatibleBricks, Found, SearchSettings, Shard, Strategy, explore
from races.environments.composition.path import PathRecord
from races.environments.composition.quality import failed_health_checks
from races.environments.registry import pool


@cache
def records(strategy: Strategy, size: int, starts: int) -> tuple[PathRecord, ...]:
    """The healthy paths of a size from one tree for each of so many start bricks, spread over the pool."""
    settings = SearchSettings(strategy=strategy, longest=size, seed="benchmarks")
    offers = CompatibleBricks(pool(), settings.matching)
    names = sorted(pool())
    chosen = names[:: max(1, len(names) // starts)][:starts]
    found = {
        each.path.id: each
        for number, name in enumerate(chosen)
        for each in explore(Shard(name, number % 5), offers, settings).found
        if len(each.path.environments) == size and kept(each, settings)
    }
    return tuple(_record(each) for _, each in sorted(found.items()))


def kept(each: Found, settings: SearchSettings) -> bool:
    """Whether the asset of filtered paths would keep it."""
    kind = each.path.environments[-1].codomain
    return (
        each.health is not None
        and not failed_health_checks(each.health, kind, settings.health)
        and each.redundant_steps == 0
    )


def _record(each: Found) -> PathRecord:
    states = each.path.states
    names = tuple(e.name for e in each.path.environments)
    return PathRecord(each.path.id, each.level, names, states[0], tuple(states[1:]))
