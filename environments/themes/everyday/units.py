"""Temperatures, durations, angles and percentages."""

from fractions import Fraction
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import Int, IntPair, Nat, Rational


def temperature(rng: Random, level: int) -> int:
    """Stay below the millions that integers otherwise reach, because the result has to be a small fraction."""
    return rng.randint(3, (60, 150, 400, 1500, 9000)[level - 1]) * rng.choice((1, 1, -1))


@environment(sample=temperature)
def fahrenheit_to_celsius(degrees: Int) -> Rational:
    """The number is a temperature in degrees Fahrenheit. Convert it to degrees Celsius exactly: subtract 32, then
    multiply by five ninths.
    """
    celsius = Fraction(5 * (degrees - 32), 9)
    if abs(celsius.numerator) > 99_999:
        raise OutOfDomain("the numerator of the temperature has more than five digits")
    return celsius


def positive_fraction(rng: Random, level: int) -> Fraction:
    """Draw no negative fraction, because no duration is negative, and a remainder, so that there are minutes."""
    denominator = rng.randint(3, (8, 14, 24, 40, 60)[level - 1])
    return rng.randint(0, 3 * level) + Fraction(rng.randint(1, denominator - 1), denominator)


@environment(sample=positive_fraction)
def hours_and_minutes(hours: Rational) -> IntPair:
    """The fraction is a duration in hours. Drop any incomplete minute, and give the full hours and then the full
    minutes that remain, fewer than 60.
    """
    if hours < 0:
        raise OutOfDomain("no duration is negative")
    return divmod(int(hours * 60), 60)


def more_than_a_turn(rng: Random, level: int) -> int:
    """Turn by more than 360 degrees or backwards, because other angles stay as they are."""
    size = rng.randint(1, (800, 2000, 5000, 20_000, 90_000)[level - 1])
    return -size if rng.random() < 0.4 else 360 + size


@environment(sample=more_than_a_turn)
def angle_within_a_turn(degrees: Int) -> Nat:
    """The number is an angle in degrees. Add or subtract full turns of 360 degrees until the angle is at least 0 and
    less than 360 degrees, and give that angle.
    """
    return degrees % 360


def filling_times(rng: Random, level: int) -> tuple[int, int]:
    """Keep the times small, because the result has to be a small fraction."""
    top = (12, 24, 48, 100, 240)[level - 1]
    return rng.randint(2, top), rng.randint(2, top)


@environment(sample=filling_times)
def joint_filling_time(minutes: IntPair) -> Rational:
    """One tap alone fills a tank in the first number of minutes, another tap alone in the second number of minutes.
    Find exactly how many minutes it takes to fill the tank when both taps run together.
    """
    first, second = minutes
    if first < 1 or second < 1:
        raise OutOfDomain("a tap needs at least a minute to fill a tank")
    together = Fraction(first * second, first + second)
    if together.numerator > 99_999 or together.denominator > 99_999:
        raise OutOfDomain("the numerator or the denominator has more than five digits")
    return together


@environment()
def rounded_percentage(fraction: Rational) -> Int:
    """Express the fraction as a percentage, rounded to the nearest whole number of percent, halves away from zero. Give
    the number of percent.
    """
    size = int(abs(fraction) * 100 + Fraction(1, 2))
    if size > 1_000_000:
        raise OutOfDomain("the percentage is above a million")
    return size if fraction > 0 else -size
