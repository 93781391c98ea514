"""Many problems at once, from found paths and from the pool, in chunks that any worker may do; each has its own key."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from random import Random

from environments.composition.frontier import Offers
from environments.composition.path import Path, find, trace
from environments.core import Environment
from environments.errors import SettingError
from environments.execution import SECONDS, Outcome, Status, draw
from environments.isolation import armed
from environments.keyed import generator
from environments.operators import parallel, select, sequential, single, sort
from environments.operators.problem import AnswerStyle, Problem, Unposed
from environments.subpools import subpool
from environments.types import LEVELS

FROM_PATHS = ("sequential", "sort", "select")
FROM_POOL = ("single", "parallel")
SIZES = {
    "single": (1,),
    "sequential": tuple(range(2, 13)),
    "parallel": tuple(range(2, 13)),
    "sort": tuple(range(2, 7)),
    "select": tuple(range(2, 7)),
}


@dataclass(frozen=True)
class PathRecord:
    """A found path as plain data, to be sent to a worker or read from a table."""

    path_id: str
    level: int
    environments: tuple[str, ...]
    start: str
    outputs: tuple[str, ...]

    def restored(self) -> Path:
        """The path with its values; the bricks are those of today's pool."""
        environments = tuple(map(find, self.environments))
        outputs = tuple(e.codomain.loads(text) for e, text in zip(environments, self.outputs, strict=True))
        return Path(environments[0].domain.loads(self.start), environments, outputs)


@dataclass(frozen=True)
class Chunk:
    """Some problems of one operator and size.

    seed: of the whole set. records: for the operators that take paths. turns: for each problem a number: the path's
    own start value is posed at turn 0 and fresh ones after it; for the operators that draw from the pool it is the
    index. pool: the named part of the pool that is drawn from, also for distractors. levels: of what is drawn afresh.
    """

    operator: str
    size: int
    seed: str
    turns: tuple[int, ...]
    records: tuple[PathRecord, ...] = ()
    style: AnswerStyle = "tags"
    pool: str = "training"
    levels: tuple[int, ...] = LEVELS


@dataclass
class Posed:
    """The problems of a chunk, and how many candidates made none, by reason."""

    problems: list[Problem] = field(default_factory=list)
    unposed: Counter[str] = field(default_factory=Counter)


def pose_armed(chunk: Chunk) -> Posed:
    """pose_chunk in a worker process, whose clock ends it where a candidate takes too long."""
    return pose_chunk(chunk, lambda: armed(SECONDS))


def pose_chunk(chunk: Chunk, clock: Callable[[], AbstractContextManager[None]] = nullcontext) -> Posed:
    """Pose a chunk; the same problems in every process and in every order of chunks. `clock` bounds each candidate."""
    posed = Posed()
    for place, turn in enumerate(chunk.turns):
        record = chunk.records[place] if chunk.records else None
        with clock():
            result = _pose(chunk, record, turn)
        if isinstance(result, Unposed):
            posed.unposed[result.reason] += 1
        else:
            posed.problems.append(result)
    return posed


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
) -> Iterator[Chunk]:
    """An endless supply of chunks of a cell: every path once as it was found, then over and over with fresh inputs.

    fresh: never as it was found, for sets that must not repeat the start values of the search.
    """
    if operator not in SIZES or size not in SIZES[operator]:
        raise SettingError(f"expected an operator of {', '.join(SIZES)} and one of its sizes, got {operator} of {size}")
    if operator in FROM_POOL:
        first = 0
        while True:
            yield Chunk(operator, size, seed, tuple(range(first, first + length)), (), style, pool, levels)
            first += length
    turn = int(fresh)
    while records:
        for begin in range(0, len(records), length):
            some = tuple(records[begin : begin + length])
            yield Chunk(operator, size, seed, (turn,) * len(some), some, style, pool, levels)
        turn += 1


def _pose(chunk: Chunk, record: PathRecord | None, turn: int) -> Problem | Unposed:
    purpose = ("problem", chunk.seed, chunk.operator, chunk.size, record.path_id if record else "", turn)
    rng = generator(*purpose)
    problem = _from_pool(chunk, rng, turn) if record is None else _from_path(chunk, record, rng, turn)
    if isinstance(problem, Unposed):
        return problem
    return problem.keyed(repr(purpose), record.path_id if record else "")


def _from_pool(chunk: Chunk, rng: Random, index: int) -> Problem:
    """SINGLE goes round the bricks, each at all levels; PARALLEL draws different bricks and one level for all."""
    bricks = _bricks(chunk.pool)
    if chunk.operator == "single":
        # A brick's levels one after another: its code is then at hand for the processor, which is worth a quarter.
        levels = chunk.levels
        brick = bricks[index // len(levels) % len(bricks)]
        return single.pose(brick, rng, levels[index % len(levels)], chunk.style)
    return parallel.pose(rng.sample(bricks, chunk.size), rng, rng.choice(chunk.levels), chunk.style)


def _from_path(chunk: Chunk, record: PathRecord, rng: Random, turn: int) -> Problem | Unposed:
    environments, level = tuple(map(find, record.environments)), record.level
    if turn:
        level = rng.choice(chunk.levels)
        path, outcome = _fresh(environments, rng, level)
        if path is None:
            return Unposed("no fresh input keeps the path healthy")
    else:
        path, outcome = trace(environments, environments[0].domain.loads(record.start))
        if path is None or path.states != (record.start, *record.outputs):
            return Unposed("the path is out of date: its bricks give other results today")
    if chunk.operator == "sequential":
        return sequential.pose(path, level, outcome.steps, chunk.style)
    if chunk.operator == "sort":
        return sort.pose(path, rng, level, outcome.steps, chunk.style)
    return select.pose(path, _offers(chunk.pool), rng, level, outcome.steps, chunk.style)


def _fresh(
    environments: tuple[Environment, ...], rng: Random, level: int, tries: int = 6
) -> tuple[Path | None, Outcome]:
    """The environments on a new input on which every result is new and healthy, as the search would demand.

    Of those that succeed at all, 99 of 100 do so within six tries; others would cost more than half of the time.
    """
    outcome = Outcome(Status.REFUSED)
    for _ in range(tries):
        path, outcome = trace(environments, draw(environments[0], rng, level), healthy=True)
        if path is not None and len(set(path.states)) == len(path.states):
            return path, outcome
    return None, outcome


@cache
def _bricks(part: str) -> list[Environment]:
    """The bricks of a part of the pool, listed once in each process."""
    return list(subpool(part).values())


@cache
def _offers(part: str) -> Offers:
    """What SELECT may offer besides the path, made once in each process."""
    return Offers(subpool(part), "subtype")
