"""Bricks of somebody else's package: nothing in this repository knows them."""

from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import IntList, Nat


def list_with_a_peak(rng: Random, level: int) -> tuple[int, ...]:
    """Numbers that rise and fall, so that the peak is not always the last one."""
    count = 4 + 2 * level
    return tuple(rng.sample(range(-20 * level, 20 * level), count))


@environment(sample=list_with_a_peak)
def distance_from_peak(values: IntList) -> IntList:
    """Subtract every entry of the list from the largest one, and give the differences in the order of the list."""
    if not values:
        raise OutOfDomain("an empty list has no largest entry")
    top = max(values)
    return tuple(top - value for value in values)


@environment()
def number_of_the_form_six_n_plus_five(number: Nat) -> Nat:
    """Multiply the number by six and add five to the product."""
    if number > 100_000:
        raise OutOfDomain("the result would be too large")
    return 6 * number + 5
