"""The same tasks by reasoning-gym and by us, in one process: how many problems in a second each makes."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from typing import Any

from perf.measure import Effort, Measurement, seconds
from races.environments.operators import single
from races.environments.registry import get
from races.environments.seeding import generator

NAME = "reasoning-gym"


@dataclass(frozen=True)
class Pair:
    """A task of theirs with our nearest brick. The level and the configuration make inputs of about the same size."""

    task: str
    brick: str
    level: int
    compared: str
    configuration: dict[str, Any] = field(default_factory=dict)
    share: float = 1.0  # of the usual number of items, for a task that takes long


PAIRS = (
    Pair("gcd", "gcd_pair", 3, "two numbers up to 1000 / 3240"),
    Pair(
        "number_sorting",
        "sorting_permutation",
        4,
        "ten whole numbers from -300 to 300",
        {"min_numbers": 10, "max_numbers": 10, "max_decimals": 0, "min_value": -300, "max_value": 300},
    ),
    Pair("spiral_matrix", "matrix_spiral_order", 5, "4 x 4 entries, theirs of one digit", {"min_n": 4, "max_n": 4}),
    Pair(
        "caesar_cipher",
        "growing_letter_shift",
        5,
        "about 12 letters in 2 or 3 words / 14 letters in one",
        {"min_words": 2, "max_words": 3},
    ),
    Pair(
        "game_of_life",
        "game_of_life_step",
        4,
        "one step on 5 x 5 cells, about 10 of them alive, theirs on a torus",
        {"grid_size_x": 5, "grid_size_y": 5, "filled_cells": 10},
        0.1,
    ),
    Pair(
        "letter_counting",
        "character_tally",
        5,
        "one letter in five words / all characters of a string of 24",
        {"min_words": 5, "max_words": 5},
    ),
)


def measurements(effort: Effort) -> Iterator[Measurement]:
    """Our rates for each task, with theirs as the target; both draw every problem from a generator of its own.

    A problem of ours is a whole row. The question and the answer alone are all that an item of theirs is.
    """
    if find_spec("reasoning_gym") is None:
        yield Measurement(NAME, "all tasks", None, "problems/s", note="reasoning-gym is not installed: make perf")
        return
    for pair in PAIRS:
        rates = _rates(pair, effort)
        theirs = rates["theirs"]
        for name in ("whole rows", "question and answer"):
            note = f"{rates[name] / theirs:.2f} times theirs; {pair.compared}"
            yield Measurement(NAME, f"{pair.task}: {pair.brick}, {name}", rates[name], "problems/s", theirs, note=note)


def _rates(pair: Pair, effort: Effort) -> dict[str, float]:
    """Problems in a CPU second by us and by them, measured alternately."""
    count = effort.of(20, 3000)
    few = max(10, int(count * pair.share))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import reasoning_gym  # an extra, and slow to import

    dataset = reasoning_gym.create_dataset(pair.task, seed=1, size=few, **pair.configuration)
    brick = get(pair.brick)

    def theirs(index: int) -> None:
        dataset[index]

    def row(index: int) -> None:
        single.pose(brick, generator(NAME, pair.brick, index), pair.level)

    def item(index: int) -> None:
        x = brick.sample(generator(NAME, pair.brick, index), pair.level)
        _, _ = brick.describe(x), brick.codomain.dumps(brick(x))

    makers = {"theirs": (theirs, few), "whole rows": (row, count), "question and answer": (item, count)}
    best = dict.fromkeys(makers, 0.0)
    for _ in range(effort.repeats):
        for name, (make, items) in makers.items():
            make(0)
            best[name] = max(best[name], items / seconds(partial(_each, make, items), 1))
    return best


def _each(make: Callable[[int], None], items: int) -> None:
    for index in range(items):
        make(index)
