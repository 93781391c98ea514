"""Cache keys of attempts: an attempt whose key is as it was gives what it gave, and need not be made again."""

from collections.abc import Sequence
from functools import cache

from races.environments.generation.attempts import generate_chunk
from races.environments.generation.chunks import Chunk, distractor_bricks, drawn_bricks, seeded
from races.environments.registry import pool
from races.environments.seeding import key_of
from races.environments.source import digest


def cache_key(chunk: Chunk, position: int, used: Sequence[str]) -> str:
    """A hash of all that the result of an attempt depends on; "" where the attempt would now use other bricks.

    used: the bricks that the attempt depended on when it was made (Attempt.uses).

    The code that generates problems counts, and the bricks with their statements, types and code.
    """
    record, known = chunk.records[position] if chunk.records else None, pool()
    if record is None:
        drawn = drawn_bricks(chunk, position, seeded(chunk, position))
        same = tuple(used) == tuple(each.name for each in drawn)
    else:
        same = tuple(used[: len(record.environments)]) == record.environments
    if not same or any(name not in known for name in used):
        return ""
    compatible = []
    if record is not None and chunk.operator == "select":
        kinds = [known[record.environments[0]].domain, *[known[name].codomain for name in record.environments[:-1]]]
        compatible = [distractor_bricks(chunk).signature_digest(kind) for kind in kinds]
    bricks = [(name, known[name].fingerprint) for name in used]
    start = (record.path_id, record.level) if record else ()
    return key_of(
        generation_version(), chunk.style, chunk.levels, chunk.pool, chunk.distractors_from, start, bricks, compatible
    )


@cache
def generation_version() -> str:
    """A hash of all code that generates problems."""
    return digest(generate_chunk)
