"""A brick over a type that the vocabulary does not have."""

from races.environments import environment
from races.environments.types import Nat


@environment()
def brick_over_floats(number: float) -> Nat:
    """Round the number down."""
    return int(number)
