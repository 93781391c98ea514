"""Inputs of bricks that the tests share."""

from random import Random
from typing import Any

from races.environments import Environment
from races.environments.types import LEVELS


def inputs(brick: Environment, count: int = 2) -> list[Any]:
    return [
        brick.sample(Random(f"execution {brick.name} {level} {i}"), level) for level in LEVELS for i in range(count)
    ]
