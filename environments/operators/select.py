"""SELECT: find which steps, and in which order. Reward 1 if running the answered sequence from x0 gives y_t, else 0."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from races.environments.composition.frontier import CompatibleBricks
from races.environments.composition.orders import Ends, Solutions, count_sequences, feasible_orders
from races.environments.composition.path import Matching, Path, fits, what_it_speaks_of
from races.environments.core import Environment
from races.environments.execution import run
from races.environments.isolation.guard import Guard
from races.environments.operators.labels import (
    MAX_OPERATIONS,
    labelled_problem,
    path_rejection,
    score_order,
    shuffled,
)
from races.environments.operators.problem import AnswerStyle, Problem, Rejected, Score

MAX_CHANCE = 0.25  # what a guess among the sequences of one length that the prompt leaves open may earn
_TASK = (
    "Some of the {} operations below turn the input into the output when they are applied in the right order: the "
    f"first one to the input, every later one to the result of the one before it. {what_it_speaks_of('an operation')} "
    "Each operation may be applied at most once, and not all of them are needed. Find such operations and their order. "
    "If several choices are right, give any one of them."
)
MAX_COUNTING_STEPS = 5000  # of counting the solutions of one problem
EXTRA_DISTRACTORS = 3  # at most, beyond the drawn number, where types would give too much away without them
DRAWS_PER_DISTRACTOR = 4
ALTERNATIVES = 0.75  # share of the draws among environments that could stand in place of the path's


class Distractors(NamedTuple):
    """Operations to be offered besides those of a path.

    chosen: in the order in which they were drawn.
    considered: names of all that were run on a state of the path, chosen or not; the choice depends on what they gave.
    """

    chosen: tuple[Environment, ...]
    considered: tuple[str, ...]


def pose(
    path: Path,
    compatible: CompatibleBricks,
    rng: Random,
    level: int,
    steps: int,
    style: AnswerStyle = "tags",
    max_counting_steps: int = MAX_COUNTING_STEPS,
) -> Problem | Rejected:
    """The problem that shows x0, y_t and the path's steps among distractors; Rejected where it would be too easy."""
    distractors = distract(path, compatible, rng).chosen
    return pose_among(path, distractors, rng, level, steps, style, max_counting_steps)


def pose_among(
    path: Path,
    distractors: Sequence[Environment],
    rng: Random,
    level: int,
    steps: int,
    style: AnswerStyle = "tags",
    max_counting_steps: int = MAX_COUNTING_STEPS,
) -> Problem | Rejected:
    """The problem of a path among distractors that have been drawn for it; see `pose`."""
    reason = _rejection_by_types(path, distractors)
    if reason:
        return Rejected(reason)
    offered = shuffled([*path.environments, *distractors], rng)
    solutions = count_sequences(offered, Ends.of(path), bound=max_counting_steps)
    reason = _rejection_by_solutions(solutions)
    if reason:
        return Rejected(reason)
    return labelled_problem(
        "select",
        path,
        offered,
        solutions,
        task=_TASK.format(len(offered)),
        wanted="a JSON array of the letters of the chosen operations in the order in which they are applied",
        example_size=2,
        level=level,
        steps=steps,
        style=style,
        shortest=solutions.shortest,
        distractors=distractors,
    )


def _rejection_by_types(path: Path, distractors: Sequence[Environment]) -> str:
    """Why a path among distractors makes no problem, as far as can be told without running it; "" where it may."""
    if reason := path_rejection(path):
        return reason
    if not distractors:
        return "nothing else fits the path's states"
    size, offered = len(path.environments), len(path.environments) + len(distractors)
    if size < 2 or offered > MAX_OPERATIONS:
        return f"expected 2 steps or more and at most {MAX_OPERATIONS} operations, got {size} and {offered}"
    return "" if _open(path.environments, distractors) else "too few sequences are feasible"


def _rejection_by_solutions(solutions: Solutions) -> str:
    """Why the sequences that were counted make no problem; "" where they make one."""
    if not solutions.complete:
        return "too many sequences to count"
    if not solutions.count:
        return "the path itself does not run"
    if solutions.shortest == 1:
        return "one operation alone gives the output"
    return "too many sequences are right" if solutions.chance > MAX_CHANCE else ""


def distract(path: Path, compatible: CompatibleBricks, rng: Random) -> Distractors:
    """Environments off the path that run on its states before the last: uniformly 1 .. max(2, t), more where needed.

    Most are drawn among those that could stand in place of one of the path's, as far as types go. As long as a guess
    among as many steps as the path has would still be right too often, up to EXTRA_DISTRACTORS others follow.
    """
    wanted = rng.randint(1, max(2, len(path.environments)))
    places = _places(path, compatible)
    found: list[Environment] = []
    considered: set[str] = set()
    for _ in range(DRAWS_PER_DISTRACTOR * (wanted + EXTRA_DISTRACTORS)):
        if len(found) >= wanted and (len(found) == wanted + EXTRA_DISTRACTORS or _open(path.environments, found)):
            break
        place = rng.choice(places)
        among = place.alternatives if place.alternatives and rng.random() < ALTERNATIVES else place.compatible
        candidate = rng.choice(among)
        known = {each.name for each in (*path.environments, *found)}
        if candidate.name not in known and not candidate.accepts:
            considered.add(candidate.name)
            if _changes(candidate, place.value):
                found.append(candidate)
    return Distractors(tuple(found), tuple(sorted(considered)))


def may_be_open(environments: Sequence[Environment], compatible: CompatibleBricks) -> bool:
    """Whether a path's types leave enough sequences once what could stand in place of its steps is offered as well."""
    alternatives = {each.name: each for _, some in _by_step(environments, compatible) for each in some}
    most = max(2, len(environments)) + EXTRA_DISTRACTORS
    return _open(environments, list(alternatives.values())[:most])


@dataclass(frozen=True)
class _Place:
    """A state of a path before its last: its value, the environments that take its type, and among those the ones that
    could stand in place of the path's own.
    """

    value: Any
    compatible: Sequence[Environment]
    alternatives: Sequence[Environment]


def _places(path: Path, compatible: CompatibleBricks) -> list[_Place]:
    values = (path.start, *path.outputs[:-1])
    return [_Place(value, *some) for value, some in zip(values, _by_step(path.environments, compatible), strict=True)]


def _by_step(
    bricks: Sequence[Environment], compatible: CompatibleBricks
) -> list[tuple[Sequence[Environment], Sequence[Environment]]]:
    """For each step the environments that take what it takes, and those that could also stand in its place.

    These match the types beside them exactly where the path's own types do, so that a guess among such has a choice.
    """
    matching = _matching(bricks)
    kinds = [bricks[0].domain, *[each.codomain for each in bricks]]
    found: list[tuple[Sequence[Environment], Sequence[Environment]]] = []
    for step in range(len(bricks)):
        fitting = compatible.of(kinds[step])
        able = [each for each in fitting if each not in bricks and not each.accepts]
        if step == 0 or matching == "exact":
            able = [each for each in able if each.domain is kinds[step]]
        if step + 1 == len(bricks):
            found.append((fitting, [each for each in able if each.codomain is kinds[-1]]))
        else:
            found.append((fitting, [each for each in able if fits(each.codomain, bricks[step + 1].domain, matching)]))
    return found


def _open(environments: Sequence[Environment], distractors: Sequence[Environment]) -> bool:
    """Whether types leave enough sequences of the path's own length between the two ends.

    Where the path's own types match exactly, enough of those that do are needed, which leave others open a fortiori.
    """
    first, last = environments[0].domain, environments[-1].codomain
    feasible = feasible_orders([*environments, *distractors], first, last, _matching(environments), len(environments))
    return feasible * MAX_CHANCE >= 1


def _matching(environments: Sequence[Environment]) -> Matching:
    """Whether each takes exactly the type that the one before it gives, or some takes a wider one."""
    pairs = itertools.pairwise(environments)
    return "exact" if all(fits(a.codomain, b.domain, "exact") for a, b in pairs) else "subtype"


def _changes(candidate: Environment, value: Any) -> bool:
    """Whether the candidate runs on the value and does not merely repeat it."""
    outcome = run(candidate, value)
    return outcome.done and candidate.codomain.dumps(outcome.value) != candidate.domain.dumps(value)


def score(truth: dict[str, Any], text: str, guard: Guard | None = None) -> Score:
    """1 if running the answered operations in their order gives the output, else 0."""
    return score_order(truth, text, whole=False, guard=guard)
