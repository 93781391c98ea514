"""A theme of one's own: a brick is a function with a docstring and two types."""

from itertools import pairwise
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import IntList


def some_days(rng: Random, level: int) -> tuple[int, ...]:
    """Temperatures in whole degrees; a higher level makes it more days."""
    return tuple(rng.randint(-10, 30) for _ in range(3 + 2 * level))


@environment(sample=some_days)
def change_from_day_to_day(temperatures: IntList) -> IntList:
    """Each entry of the list is the temperature of a day. For every day but the first, subtract the temperature of the
    day before from its own, and list the differences in order.
    """
    if len(temperatures) < 2:
        raise OutOfDomain("a single day has no day before it")
    return tuple(after - before for before, after in pairwise(temperatures))
