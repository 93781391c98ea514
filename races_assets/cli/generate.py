"""Problems made by hand: from names of bricks to a problem and its solution."""

from collections.abc import Sequence
from itertools import pairwise

from races.assets.cli.console import say
from races.environments.composition.frontier import CompatibleBricks
from races.environments.composition.path import compose, find, fits, trace
from races.environments.core import Environment
from races.environments.errors import DeclarationError, SettingError
from races.environments.execution import instance
from races.environments.operators import Problem, Rejected, parallel, select, sequential, single, sort
from races.environments.registry import pool
from races.environments.seeding import generator

MAX_DRAWS = 20  # inputs that an operator may reject
MAX_SUGGESTIONS = 5  # bricks that an error names


def environment(name: str) -> Environment:
    """A brick, or a composite such as "(a > b)", whose outer parentheses may be left out."""
    name = name.strip()
    return find(f"({name})" if ">" in name and not name.startswith("(") else name)


def steps_of(whole: Environment) -> tuple[Environment, ...]:
    """The steps that an operator works on: the bricks of a composite, or a brick itself."""
    return whole.composed_of or (whole,)


def check_fit(steps: Sequence[Environment]) -> None:
    """Raise DeclarationError for the first two steps that do not fit, with bricks that would."""
    for first, second in pairwise(steps):
        try:
            compose(first, second)
        except DeclarationError as error:
            raise DeclarationError(f"{error}{_suggestion(first, second)}") from error


def _suggestion(first: Environment, second: Environment) -> str:
    """Which bricks fit between two, or otherwise after the first and before the second."""
    bricks = [brick for brick in pool().values() if brick not in (first, second)]
    before = [brick for brick in bricks if not brick.terminal and fits(brick.codomain, second.domain)]
    after = [] if first.terminal else [brick for brick in bricks if fits(first.codomain, brick.domain)]
    between = [brick for brick in before if brick in after]
    places = [(f"after {first.name}", after), (f"before {second.name}", before)]
    lines = [_listed(place, found) for place, found in ([("between them", between)] if between else places) if found]
    return "".join(f"\n  {line}" for line in lines)


def _listed(place: str, found: Sequence[Environment]) -> str:
    more = f" and {len(found) - MAX_SUGGESTIONS} more" if len(found) > MAX_SUGGESTIONS else ""
    return f"{place} fit: {', '.join(brick.name for brick in found[:MAX_SUGGESTIONS])}{more}"


def make_problem(operator: str, steps: Sequence[Environment], level: int, seed: int) -> Problem:
    """A problem of an operator over these steps; the same arguments always give the same one.

    Raises SettingError, with the reason, where the operator can make none of them.
    """
    whole = steps[0] if len(steps) == 1 else compose(*steps)
    rng = generator("show", whole.name, level, seed)
    if operator == "single":
        return single.pose(whole, rng, level)
    if operator == "parallel":
        return parallel.pose(steps, rng, level)
    if operator != "sequential" and len({each.name for each in steps}) < len(steps):
        raise SettingError(f"expected different bricks for {operator}, got {', '.join(each.name for each in steps)}")
    reason = ""
    for _ in range(MAX_DRAWS):
        x, _ = instance(whole, rng, level)
        path, outcome = trace(steps, x)
        if path is None:
            reason = outcome.reason
            continue
        if operator == "sequential":
            return sequential.pose(path, level, outcome.steps)
        problem: Problem | Rejected
        if operator == "sort":
            problem = sort.pose(path, rng, level, outcome.steps)
        else:
            problem = select.pose(path, CompatibleBricks(pool(), "subtype"), rng, level, outcome.steps)
        if isinstance(problem, Problem):
            return problem
        reason = problem.reason
    raise SettingError(f"{whole.name} makes no {operator} problem at level {level}: {reason} (in {MAX_DRAWS} draws)")


def print_solution(problem: Problem, steps: Sequence[Environment]) -> None:
    """Print the input, each step's true output, and a correct answer."""
    outputs = problem.outputs
    if problem.operator == "single" and len(steps) > 1:
        path, _ = trace(steps, steps[0].domain.loads(problem.start))
        outputs = path.states[1:] if path else outputs
    say(f"start: {problem.start}")
    for number, (step, output) in enumerate(zip(steps, outputs, strict=True), 1):
        say(f"{number}. {step.name}: {output}")
    say(f"answer: {problem.answer}")
    say(f"atomic steps: {problem.steps}")
