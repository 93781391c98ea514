"""Speeds, durations, distances and areas in everyday units."""

import math
from fractions import Fraction
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import Int, IntPair, Nat, NatList, Rational


def speed(rng: Random, level: int) -> int:
    """Stay below the millions that integers otherwise reach, because the result has to be a small fraction."""
    return rng.randint(4, (60, 150, 500, 2000, 9000)[level - 1]) * rng.choice((1, 1, -1))


@environment(sample=speed)
def metres_per_second(speed_per_hour: Int) -> Rational:
    """The number is a speed in kilometres per hour, negative for going backwards. Convert it exactly to metres per
    second.
    """
    converted = Fraction(5 * speed_per_hour, 18)
    if abs(converted.numerator) > 99_999:
        raise OutOfDomain("the numerator of the speed has more than five digits")
    return converted


def long_duration(rng: Random, level: int) -> int:
    """Draw long enough durations, because a short one has neither days nor hours."""
    low, high = (
        (3600, 40_000, 90_000, 150_000, 300_000)[level - 1],
        (20_000, 99_999, 250_000, 500_000, 999_999)[level - 1],
    )
    return rng.randint(low, high)


@environment(sample=long_duration)
def days_hours_minutes_seconds(seconds: Nat) -> NatList:
    """The number is a duration in seconds. Split it into whole days, hours, minutes and seconds, with fewer than 24
    hours, 60 minutes and 60 seconds. List these four numbers in this order, zeros included.
    """
    minutes, rest = divmod(seconds, 60)
    return minutes // 1440, minutes // 60 % 24, minutes % 60, rest


@environment()
def largest_tile_square(tiles: Nat) -> IntPair:
    """As many equal square tiles as the number says are at hand. Lay the largest possible full square with them. Give
    the number of tiles along one side of it, and then the number of tiles left over.
    """
    side = math.isqrt(tiles)
    return side, tiles - side**2


def speeds(rng: Random, level: int) -> tuple[int, ...]:
    """Speeds that cars reach, and few of them, because each takes some arithmetic."""
    top = (80, 100, 130, 180, 250)[level - 1]
    return tuple([rng.randint(5, top) for _ in range((3, 4, 5, 6, 8)[level - 1])])


@environment(sample=speeds)
def stopping_distances(car_speeds: NatList) -> NatList:
    """Each entry of the list is the speed of a car in kilometres per hour. Its stopping distance in metres is three
    tenths of the speed plus the square of one tenth of the speed. List the stopping distances in order, each rounded
    down to a whole number.
    """
    distances = tuple([(30 * value + value**2) // 100 for value in car_speeds])
    if max(distances, default=0) > 1_000_000:
        raise OutOfDomain("a stopping distance is above a million metres")
    return distances
