"""Many problems at once, in chunks that any worker may generate: each problem depends on its own key alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from races.environments.composition.frontier import CompatibleBricks
from races.environments.composition.path import PathRecord
from races.environments.core import Environment
from races.environments.errors import SettingError
from races.environments.operators import FROM_POOL, SIZES, AnswerStyle
from races.environments.seeding import generator
from races.environments.subpools import subpool
from races.environments.types import LEVELS


@dataclass(frozen=True)
class Chunk:
    """Some problems of one operator and size, each at its position.

    operator, size: see operators.SIZES.
    seed: of the whole set.
    draw_indices: a number for each position. For operators that need a path, 0 takes the path with the start value that
        the search found, a higher number draws a fresh one; for the others it is the index of the problem.
    records: the path of each position, for operators that need one.
    style: how the answer is asked for.
    pool: the sub-pool that SINGLE and PARALLEL draw bricks from.
    levels: of the inputs that are drawn, from 1 to 5.
    distractors_from: the sub-pool that SELECT draws distractors from; "" is `pool`.
    """

    operator: str
    size: int
    seed: str
    draw_indices: tuple[int, ...]
    records: tuple[PathRecord, ...] = ()
    style: AnswerStyle = "tags"
    pool: str = "training"
    levels: tuple[int, ...] = LEVELS
    distractors_from: str = ""


def chunks(
    operator: str,
    size: int,
    seed: str,
    records: Sequence[PathRecord],
    style: AnswerStyle = "tags",
    length: int = 50,
    pool: str = "training",
    levels: tuple[int, ...] = LEVELS,
    fresh: bool = False,
    distractors_from: str = "",
) -> Iterator[Chunk]:
    """Chunks of one operator and size without end: every path as it was found, then over and over with fresh inputs.

    length: problems of a chunk.
    fresh: whether to leave out the paths as they were found, for sets that must not repeat the search's start values.
    The other arguments are those of Chunk.

    SettingError for an operator or a size that there is not.
    """
    if operator not in SIZES or size not in SIZES[operator]:
        raise SettingError(f"expected an operator of {', '.join(SIZES)} and one of its sizes, got {operator} of {size}")
    if operator in FROM_POOL:
        first = 0
        while True:
            indices = tuple(range(first, first + length))
            yield Chunk(operator, size, seed, indices, (), style, pool, levels, distractors_from)
            first += length
    draw_index = int(fresh)
    while records:
        for begin in range(0, len(records), length):
            some = tuple(records[begin : begin + length])
            indices = (draw_index,) * len(some)
            yield Chunk(operator, size, seed, indices, some, style, pool, levels, distractors_from)
        draw_index += 1


def attempt_key(chunk: Chunk, position: int) -> str:
    """What seeds the randomness of a position, as text; no other attempt has the same key."""
    return repr(purpose_of(chunk, position))


def purpose_of(chunk: Chunk, position: int) -> tuple[str | int, ...]:
    """What the randomness of a position is for, as `seeding.generator` takes it."""
    path = chunk.records[position].path_id if chunk.records else ""
    return ("problem", chunk.seed, chunk.operator, chunk.size, path, chunk.draw_indices[position])


def drawn_bricks(chunk: Chunk, position: int, rng: Random) -> list[Environment]:
    """The bricks of a position without a path.

    SINGLE takes every brick in turn, each at all levels; PARALLEL draws different bricks.
    """
    bricks, index = _bricks(chunk.pool), chunk.draw_indices[position]
    if chunk.operator == "single":
        # A brick's levels one after another: its code is then in the processor's cache, which saves a quarter.
        return [bricks[index // len(chunk.levels) % len(bricks)]]
    return rng.sample(bricks, chunk.size)


def distractor_bricks(chunk: Chunk) -> CompatibleBricks:
    """What SELECT may offer besides the path."""
    return _compatible(chunk.distractors_from or chunk.pool)


def seeded(chunk: Chunk, position: int) -> Random:
    """The generator of a position."""
    return generator(*purpose_of(chunk, position))


@cache
def _bricks(sub_pool: str) -> list[Environment]:
    """The bricks of a sub-pool, listed once in each process."""
    return list(subpool(sub_pool).values())


@cache
def _compatible(sub_pool: str) -> CompatibleBricks:
    """The compatible bricks of a sub-pool, found once in each process."""
    return CompatibleBricks(subpool(sub_pool), "subtype")
