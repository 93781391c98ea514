"""The attempts of a chunk: each gives a problem, or the reason why there is none."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from random import Random

from races.environments.clock import time_limit
from races.environments.composition.path import Path, PathRecord, find, trace
from races.environments.core import Environment
from races.environments.execution import Outcome, Status, draw
from races.environments.generation.chunks import (
    Chunk,
    attempt_key,
    distractor_bricks,
    drawn_bricks,
    seeded,
)
from races.environments.operators import Problem, Rejected, parallel, select, sequential, single, sort

MAX_FRESH_DRAWS = 6  # of those paths that a fresh input fits at all, 99 of 100 have one within so many draws


@dataclass(frozen=True)
class Attempt:
    """One attempt at a problem.

    key: what seeded its randomness; see chunks.attempt_key.
    uses: names of the bricks that the result depends on.
    problem: None where there is none.
    reason: why there is none, else "".
    """

    key: str
    uses: tuple[str, ...]
    problem: Problem | None
    reason: str = ""


@dataclass
class ChunkResult:
    """The attempts of a chunk, in the order of its positions."""

    attempts: list[Attempt] = field(default_factory=list)

    @property
    def problems(self) -> list[Problem]:
        """The problems."""
        return [each.problem for each in self.attempts if each.problem is not None]

    @property
    def rejections(self) -> Counter[str]:
        """How many attempts gave no problem, by reason."""
        return Counter(each.reason for each in self.attempts if each.problem is None)


def generate_chunk_in_worker(chunk: Chunk) -> ChunkResult:
    """`generate_chunk` in a worker process, which the time limit ends where one attempt takes too long.

    The worker must have called clock.enable_alarm_kill.
    """
    distractor_bricks(chunk)  # loading the pool does not count
    return generate_chunk(chunk, time_limit)


def generate_chunk(chunk: Chunk, limit: Callable[[], AbstractContextManager[None]] = nullcontext) -> ChunkResult:
    """The attempts of a chunk; the same in every process and in every order of chunks. `limit` bounds each of them."""
    result = ChunkResult()
    for position in range(len(chunk.draw_indices)):
        with limit():
            result.attempts.append(_attempt(chunk, position))
    return result


def _attempt(chunk: Chunk, position: int) -> Attempt:
    rng, key = seeded(chunk, position), attempt_key(chunk, position)
    if not chunk.records:
        bricks = drawn_bricks(chunk, position, rng)
        problem = _from_pool(chunk, bricks, rng, chunk.draw_indices[position])
        return Attempt(key, tuple([each.name for each in bricks]), problem.with_key(key, ""))
    record = chunk.records[position]
    result, considered = _from_path(chunk, record, rng, chunk.draw_indices[position])
    uses = (*record.environments, *considered)
    if isinstance(result, Rejected):
        return Attempt(key, uses, None, result.reason)
    return Attempt(key, uses, result.with_key(key, record.path_id))


def _from_pool(chunk: Chunk, bricks: Sequence[Environment], rng: Random, draw_index: int) -> Problem:
    """PARALLEL has one level for all of its bricks."""
    if chunk.operator == "single":
        return single.pose(bricks[0], rng, chunk.levels[draw_index % len(chunk.levels)], chunk.style)
    return parallel.pose(bricks, rng, rng.choice(chunk.levels), chunk.style)


def _from_path(
    chunk: Chunk, record: PathRecord, rng: Random, draw_index: int
) -> tuple[Problem | Rejected, tuple[str, ...]]:
    """The problem of a path, and the names of the bricks off the path that the result depends on."""
    environments, level = tuple(map(find, record.environments)), record.level
    if draw_index:
        level = rng.choice(chunk.levels)
        path, outcome = _on_fresh_input(environments, rng, level)
        if path is None:
            return Rejected("no fresh input keeps the path healthy"), ()
    else:
        path, outcome = trace(environments, environments[0].domain.loads(record.start))
        if path is None or path.states != (record.start, *record.outputs):
            return Rejected("the path is out of date: its bricks give other results today"), ()
    if chunk.operator == "sequential":
        return sequential.pose(path, level, outcome.steps, chunk.style), ()
    if chunk.operator == "sort":
        return sort.pose(path, rng, level, outcome.steps, chunk.style), ()
    distractors = select.distract(path, distractor_bricks(chunk), rng)
    problem = select.pose_among(path, distractors.chosen, rng, level, outcome.steps, chunk.style)
    return problem, distractors.considered


def _on_fresh_input(environments: tuple[Environment, ...], rng: Random, level: int) -> tuple[Path | None, Outcome]:
    """The environments on a new input on which every result is new and healthy, as the search would demand."""
    outcome = Outcome(Status.REFUSED)
    for _ in range(MAX_FRESH_DRAWS):
        path, outcome = trace(environments, draw(environments[0], rng, level), healthy=True)
        if path is not None and len(set(path.states)) == len(path.states):
            return path, outcome
    return None, outcome
