"""The case of each brick of the pool that the contract is checked on."""

from functools import cache
from pathlib import Path
from typing import Any

from races import oracles
from races.environments import Environment, pool
from races.environments.audit.contract import Case, other_outputs, worked_examples

ORACLES = Path(oracles.__file__).parent


@cache
def values_from_bricks() -> dict[str, list[Any]]:
    return other_outputs(pool())


@cache
def case_of(brick: Environment) -> Case:
    return Case(brick, values_from_bricks().get(brick.domain.name, []), *worked_examples(ORACLES, brick))
