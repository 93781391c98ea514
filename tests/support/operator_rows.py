"""Small helpers of the tests of operators."""

from collections.abc import Sequence
from typing import Any

from races.environments import Environment
from races.environments.composition.path import Path
from races.environments.execution import run
from races.environments.operators import (
    Problem,
)
from tests.support import bricks_for_tests as declared

KEYS = {"score", "acc", "correct", "total", "unparseable", "grader_failed"}


def of(operator: str, rows: list[Problem]) -> list[Problem]:
    return [row for row in rows if row.operator == operator]


def answer_of_items(items: Sequence[str]) -> str:
    return f"<answer>[{', '.join(items)}]</answer>"


def path_of(x: Any, *bricks: Environment, steps: int = 400) -> Path:
    outputs: list[Any] = []
    for brick in bricks:
        outcome = run(brick, x if not outputs else outputs[-1], steps)
        assert outcome.done, outcome
        outputs.append(outcome.value)
    return Path(x, bricks, tuple(outputs))


TWO, THREE, FIVE, SEVEN = declared.plus_two, declared.plus_three, declared.plus_five, declared.times_seven
