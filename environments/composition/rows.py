"""What a shard of the search found, as rows of plain data, which workers send and tables hold."""

import json
from dataclasses import dataclass, fields
from typing import Any

from races.environments.composition.frontier import Found, SearchSettings, Shard, ShardResult
from races.environments.composition.quality import Health
from races.environments.seeding import key_of

Row = dict[str, Any]
MEASURES = tuple(each.name for each in fields(Health))
UNMEASURED = Health(0.0, 0.0, 0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class ShardRows:
    """The rows of a shard: of its paths, of its rejections, and of itself."""

    paths: list[Row]
    rejections: list[Row]
    record: Row


def rows_of(settings: SearchSettings, result: ShardResult) -> ShardRows:
    """The rows of a shard that was grown with these settings."""
    shard = {
        "search": settings.strategy,
        "start_brick": result.shard.start,
        "shard_index": result.shard.index,
    }
    record = {
        **shard,
        "settings": settings.key,
        "ran": json.dumps(result.ran, sort_keys=True),
        "compatible_bricks": json.dumps(result.compatible_bricks, sort_keys=True),
        "executions": result.executions,
        "paths": len(result.found),
    }
    rejections = [
        {**shard, "environment": brick, "reason": reason, "extensions": count}
        for (brick, reason), count in result.rejections.items()
    ]
    paths = [path_row(settings.strategy, result.shard, each) for each in result.found]
    return ShardRows(paths, rejections, record | {"content": content_of(paths, rejections)})


def content_of(paths: list[Row], rejections: list[Row]) -> str:
    """A hash of the rows of a shard in the two tables, whatever their order."""
    return key_of(sorted(repr(sorted(row.items())) for row in [*paths, *rejections]))


def path_row(search: str, shard: Shard, each: Found) -> Row:
    """The row of a found path."""
    path, health = each.path, each.health or UNMEASURED
    states = path.states
    return {
        "search": search,
        "start_brick": shard.start,
        "shard_index": shard.index,
        "level": each.level,
        "path_id": path.id,
        "size": len(path.environments),
        "environments": [e.name for e in path.environments],
        "themes": [e.theme for e in path.environments],
        "types": [path.environments[0].domain.name, *[e.codomain.name for e in path.environments]],
        "fingerprints": [e.fingerprint for e in path.environments],
        "start": states[0],
        "outputs": list(states[1:]),
        "steps": each.steps,
        **{name: getattr(health, name) for name in MEASURES},
        "feasible_orders": each.feasible_orders,
        "redundant_steps": each.redundant_steps,
    }
