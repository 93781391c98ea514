"""A brick whose name is taken, beside one that is sound."""

from races.environments import environment
from races.environments.types import Nat


@environment()
def digit_sum(number: Nat) -> Nat:
    """Add up all digits of the number."""
    return sum(map(int, str(number)))


@environment()
def number_and_four(number: Nat) -> Nat:
    """Add four to the number."""
    return number + 4
