"""SORT: find the order of a path's steps. Reward 1 if running the answered order from x0 gives y_t, else 0."""

from random import Random
from typing import Any

from races.environments.composition.orders import Ends, count_orders, feasible_orders
from races.environments.composition.path import Path, what_it_speaks_of
from races.environments.isolation.guard import Guard
from races.environments.operators.labels import content, ends, invented, legend, letters_of, score_order, shuffled
from races.environments.operators.problem import (
    AnswerStyle,
    Problem,
    Score,
    Unposed,
    answer_format,
    provenance,
    truth_of,
    wrapped,
)

LARGEST = 8  # steps: all orders are run to count the right ones
CHANCE = 0.25  # what a guess among the orders that the prompt leaves open may earn, from three steps on
CHANCE_OF_TWO = 0.5
_TASK = (
    "The input below becomes the output below when each of the {} operations is applied exactly once, in the right "
    "order: the first one to the input, every later one to the result of the one before it. "
    f"{what_it_speaks_of('an operation')} Find the order. If several orders are right, give any one of them."
)


def allowed_chance(size: int) -> float:
    """What a guess may earn at a size; of two steps there are no more than two orders."""
    return CHANCE if size > 2 else CHANCE_OF_TWO


def pose(path: Path, rng: Random, level: int, steps: int, style: AnswerStyle = "tags") -> Problem | Unposed:
    """The problem that shows x0, y_t and the shuffled steps; Unposed where types or luck give the order away."""
    environments, size = path.environments, len(path.environments)
    if not 2 <= size <= LARGEST:
        return Unposed(f"expected 2 to {LARGEST} steps, got {size}")
    if len(set(environments)) < size:
        return Unposed("an environment stands in the path twice")
    if path.environments[-1].accepts:
        return Unposed("a terminal environment accepts several outputs")
    allowed, shown = allowed_chance(size), Ends.of(path)
    typed = feasible_orders(environments, shown.domain, shown.codomain)
    if typed <= 1:
        return Unposed("the order is forced by the types")
    if 1 / typed > allowed:
        return Unposed("too few orders are feasible")
    solutions = count_orders(environments, shown)
    if not solutions.count:
        return Unposed("the path itself does not run")
    if 1 / max(1, solutions.tried) > allowed:
        return Unposed("too few orders could give the output")
    if solutions.chance > allowed:
        return Unposed("too many orders are right")
    offered = shuffled(environments, rng)
    answer = "[" + ", ".join(f'"{letter}"' for letter in letters_of(environments, offered)) + "]"
    prompt = "\n\n".join(
        (
            _TASK.format(size),
            ends(path),
            f"The operations:\n{legend(offered)}",
            answer_format(
                f"a JSON array of the {size} letters in the order in which the operations are applied",
                invented(size),
                style,
            ),
        )
    )
    return Problem(
        operator="sort",
        size=size,
        level=level,
        prompt=prompt,
        truth=truth_of("sort", style, **content(offered, path)),
        answer=wrapped(answer, style),
        types=(environments[0].domain.name, *[e.codomain.name for e in environments]),
        start=path.states[0],
        outputs=path.states[1:],
        steps=steps,
        path_id=path.id,
        chance=solutions.chance,
        valid_answers=solutions.count,
        feasible_answers=solutions.tried,
        shortest=size,
        **provenance(environments),
    )


def score(truth: dict[str, Any], text: str, guard: Guard | None = None) -> Score:
    """1 if the answer names every operation once and running them in that order gives the output, else 0."""
    return score_order(truth, text, whole=True, guard=guard)
