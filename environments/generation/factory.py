"""Many problems at once, from found paths and from the pool, in chunks that any worker may do; each has its own key."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from random import Random

from races.environments.clock import armed
from races.environments.composition.frontier import Offers
from races.environments.composition.path import Path, find, trace
from races.environments.core import Environment
from races.environments.errors import SettingError
from races.environments.execution import SECONDS, Outcome, Status, draw
from races.environments.operators import parallel, select, sequential, single, sort
from races.environments.operators.problem import AnswerStyle, Problem, Unposed
from races.environments.registry import pool
from races.environments.seeding import generator, key_of
from races.environments.source import digest
from races.environments.subpools import subpool
from races.environments.types import LEVELS

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
    index. pool: the named part of the pool that is drawn from. levels: of what is drawn afresh. offers: the part that
    SELECT draws distractors from, by default that of `pool`.
    """

    operator: str
    size: int
    seed: str
    turns: tuple[int, ...]
    records: tuple[PathRecord, ...] = ()
    style: AnswerStyle = "tags"
    pool: str = "training"
    levels: tuple[int, ...] = LEVELS
    offers: str = ""

    @property
    def others(self) -> Offers:
        """What SELECT may offer besides the path."""
        return _offers(self.offers or self.pool)


@dataclass(frozen=True)
class Tried:
    """What became of a candidate: a problem, or the reason for none.

    key: what its randomness was drawn for. uses: names of the bricks that the result hangs on.
    """

    key: str
    uses: tuple[str, ...]
    problem: Problem | None
    reason: str = ""


@dataclass
class Posed:
    """What became of the candidates of a chunk, in their order."""

    tried: list[Tried] = field(default_factory=list)

    @property
    def problems(self) -> list[Problem]:
        """The problems."""
        return [each.problem for each in self.tried if each.problem is not None]

    @property
    def unposed(self) -> Counter[str]:
        """How many candidates made none, by reason."""
        return Counter(each.reason for each in self.tried if each.problem is None)


def pose_armed(chunk: Chunk) -> Posed:
    """pose_chunk in a worker process, whose clock ends it where a candidate takes too long."""
    _offers(chunk.offers or chunk.pool)  # loading the pool is no candidate's time
    return pose_chunk(chunk, lambda: armed(SECONDS))


def pose_chunk(chunk: Chunk, clock: Callable[[], AbstractContextManager[None]] = nullcontext) -> Posed:
    """Pose a chunk; the same problems in every process and in every order of chunks. `clock` bounds each candidate."""
    posed = Posed()
    for place in range(len(chunk.turns)):
        with clock():
            posed.tried.append(_pose(chunk, place))
    return posed


def key_of_candidate(chunk: Chunk, place: int) -> str:
    """What the randomness of a candidate is drawn for, which no other candidate has."""
    return repr(_purpose(chunk, place))


def _purpose(chunk: Chunk, place: int) -> tuple[str | int, ...]:
    path = chunk.records[place].path_id if chunk.records else ""
    return ("problem", chunk.seed, chunk.operator, chunk.size, path, chunk.turns[place])


def basis(chunk: Chunk, place: int, used: Sequence[str]) -> str:
    """A hash of all that the result of a candidate hangs on; empty where that can no longer be what it was.

    used: the bricks that it hung on when it was posed. The code that poses counts, and the bricks with all they are.
    """
    record, known = chunk.records[place] if chunk.records else None, pool()
    if record is None:
        today = _drawn(chunk, generator(*_purpose(chunk, place)), chunk.turns[place])
        same = tuple(used) == tuple(each.name for each in today)
    else:
        same = tuple(used[: len(record.environments)]) == record.environments
    if not same or any(name not in known for name in used):
        return ""
    menus = []
    if record is not None and chunk.operator == "select":
        kinds = [known[record.environments[0]].domain, *[known[name].codomain for name in record.environments[:-1]]]
        menus = [chunk.others.of(kind)[1] for kind in kinds]
    bricks = [(name, known[name].fingerprint) for name in used]
    start = (record.path_id, record.level) if record else ()
    return key_of(posing_version(), chunk.style, chunk.levels, chunk.pool, chunk.offers, start, bricks, menus)


@cache
def posing_version() -> str:
    """A hash of all code that poses."""
    return digest(pose_chunk)


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
    offers: str = "",
) -> Iterator[Chunk]:
    """An endless supply of chunks of a cell: every path once as it was found, then over and over with fresh inputs.

    fresh: never as it was found, for sets that must not repeat the start values of the search. offers: see Chunk.
    """
    if operator not in SIZES or size not in SIZES[operator]:
        raise SettingError(f"expected an operator of {', '.join(SIZES)} and one of its sizes, got {operator} of {size}")
    if operator in FROM_POOL:
        first = 0
        while True:
            yield Chunk(operator, size, seed, tuple(range(first, first + length)), (), style, pool, levels, offers)
            first += length
    turn = int(fresh)
    while records:
        for begin in range(0, len(records), length):
            some = tuple(records[begin : begin + length])
            yield Chunk(operator, size, seed, (turn,) * len(some), some, style, pool, levels, offers)
        turn += 1


def _pose(chunk: Chunk, place: int) -> Tried:
    purpose, turn = _purpose(chunk, place), chunk.turns[place]
    rng, key = generator(*purpose), repr(purpose)
    if not chunk.records:
        bricks = _drawn(chunk, rng, turn)
        problem = _from_pool(chunk, bricks, rng, turn)
        return Tried(key, tuple([each.name for each in bricks]), problem.keyed(key, ""))
    record = chunk.records[place]
    met: set[str] = set()
    result = _from_path(chunk, record, rng, turn, met)
    uses = (*record.environments, *sorted(met))
    if isinstance(result, Unposed):
        return Tried(key, uses, None, result.reason)
    return Tried(key, uses, result.keyed(key, record.path_id))


def _drawn(chunk: Chunk, rng: Random, index: int) -> list[Environment]:
    """SINGLE goes round the bricks, each at all levels; PARALLEL draws different bricks."""
    bricks = _bricks(chunk.pool)
    if chunk.operator == "single":
        # A brick's levels one after another: its code is then at hand for the processor, which is worth a quarter.
        return [bricks[index // len(chunk.levels) % len(bricks)]]
    return rng.sample(bricks, chunk.size)


def _from_pool(chunk: Chunk, bricks: Sequence[Environment], rng: Random, index: int) -> Problem:
    """PARALLEL has one level for all of its bricks."""
    if chunk.operator == "single":
        return single.pose(bricks[0], rng, chunk.levels[index % len(chunk.levels)], chunk.style)
    return parallel.pose(bricks, rng, rng.choice(chunk.levels), chunk.style)


def _from_path(chunk: Chunk, record: PathRecord, rng: Random, turn: int, met: set[str]) -> Problem | Unposed:
    """met: where to note the bricks beside the path's own that the result hangs on."""
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
    return select.pose(path, chunk.others, rng, level, outcome.steps, chunk.style, met=met)


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
