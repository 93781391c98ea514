"""SORT: find the order of a path's steps. Reward 1 if running the answered order from x0 gives y_t, else 0."""

from random import Random
from typing import Any

from races.environments.composition.orders import Ends, Solutions, count_orders, feasible_orders
from races.environments.composition.path import Path, what_it_speaks_of
from races.environments.isolation.guard import Guard
from races.environments.operators.labels import labelled_problem, path_rejection, score_order, shuffled
from races.environments.operators.problem import AnswerStyle, Problem, Rejected, Score

MAX_STEPS = 8  # of a path: all orders are run to count the right ones
MAX_CHANCE = 0.25  # what a guess among the orders that the prompt leaves open may earn, from three steps on
MAX_CHANCE_OF_TWO = 0.5
_TASK = (
    "The input below becomes the output below when each of the {} operations is applied exactly once, in the right "
    "order: the first one to the input, every later one to the result of the one before it. "
    f"{what_it_speaks_of('an operation')} Find the order. If several orders are right, give any one of them."
)


def allowed_chance(size: int) -> float:
    """What a guess may earn at a size; of two steps there are no more than two orders."""
    return MAX_CHANCE if size > 2 else MAX_CHANCE_OF_TWO


def pose(path: Path, rng: Random, level: int, steps: int, style: AnswerStyle = "tags") -> Problem | Rejected:
    """The problem that shows x0, y_t and the shuffled steps; Rejected where types or luck give the order away.

    level, steps: of the path, as Problem stores them.

    Examples:
        >>> import races
        >>> from races.environments.composition.path import trace
        >>> from races.environments.operators import sort
        >>> steps = [races.get(name) for name in ("swap_halves", "running_totals", "moving_average")]
        >>> path, outcome = trace(steps, (3, -1, 2, 8, 5, 12))
        >>> from races.environments.seeding import generator
        >>> problem = sort.pose(path, generator("shuffled"), level=1, steps=outcome.steps)
        >>> problem.answer
        '<answer>["B", "C", "A"]</answer>'
    """
    environments, size = path.environments, len(path.environments)
    reason = _rejection_by_types(path)
    if reason:
        return Rejected(reason)
    solutions = count_orders(environments, Ends.of(path))
    reason = _rejection_by_solutions(solutions, allowed_chance(size))
    if reason:
        return Rejected(reason)
    return labelled_problem(
        "sort",
        path,
        shuffled(environments, rng),
        solutions,
        task=_TASK.format(size),
        wanted=f"a JSON array of the {size} letters in the order in which the operations are applied",
        example_size=size,
        level=level,
        steps=steps,
        style=style,
        shortest=size,
    )


def _rejection_by_types(path: Path) -> str:
    """Why a path makes no problem, as far as can be told without running it; "" where it may make one."""
    environments, size = path.environments, len(path.environments)
    if not 2 <= size <= MAX_STEPS:
        return f"expected 2 to {MAX_STEPS} steps, got {size}"
    if reason := path_rejection(path):
        return reason
    feasible = feasible_orders(environments, environments[0].domain, environments[-1].codomain)
    if feasible <= 1:
        return "the order is forced by the types"
    return "too few orders are feasible" if 1 / feasible > allowed_chance(size) else ""


def _rejection_by_solutions(solutions: Solutions, allowed: float) -> str:
    """Why the orders that were counted make no problem; "" where they make one."""
    if not solutions.count:
        return "the path itself does not run"
    if 1 / max(1, solutions.feasible_count) > allowed:
        return "too few orders could give the output"
    return "too many orders are right" if solutions.chance > allowed else ""


def score(truth: dict[str, Any], text: str, guard: Guard | None = None) -> Score:
    """1 if the answer names every operation once and running them in that order gives the output, else 0."""
    return score_order(truth, text, whole=True, guard=guard)
