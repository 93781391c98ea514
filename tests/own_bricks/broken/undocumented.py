"""A brick without a statement."""

from environments import environment
from environments.types import Nat


@environment()
def silent_brick(number: Nat) -> Nat:
    return number
