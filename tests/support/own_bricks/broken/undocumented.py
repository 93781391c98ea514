"""A brick without a statement."""

from races.environments import environment
from races.environments.types import Nat


@environment()
def silent_brick(number: Nat) -> Nat:
    return number
