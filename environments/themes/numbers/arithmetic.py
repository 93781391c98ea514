"""Everyday arithmetic on digits and numbers."""

import math
from fractions import Fraction
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import DigitList, Int, IntList, IntPair, Nat, Rational, SmallNat

NUMBERS_OF_DIGITS = ((3, 3), (3, 4), (4, 5), (5, 6), (6, 6))  # from and to, by level


@environment()
def digit_sum(number: Nat) -> SmallNat:
    """Add up the decimal digits of the number."""
    return sum(map(int, str(number)))


def pair_with_common_factor(rng: Random, level: int) -> tuple[int, int]:
    """Plant a common factor, because two random numbers are too often coprime."""
    factor, top = rng.randint(2, 10 * level), 4 * 3**level
    return factor * rng.randint(1, top), factor * rng.randint(1, top)


@environment(sample=pair_with_common_factor)
def gcd_pair(pair: IntPair) -> Nat:
    """Find the greatest common divisor of the two numbers."""
    if pair == (0, 0):
        raise OutOfDomain("every number divides two zeros, so no common divisor is the greatest")
    return math.gcd(*pair)


def long_number(rng: Random, level: int) -> int:
    """Draw three digits or more, because the digits of a shorter number make no good problem."""
    length = rng.randint(*NUMBERS_OF_DIGITS[level - 1])
    return rng.randint(10 ** (length - 1), 10**length - 1)


@environment(sample=long_number)
def digit_list(number: Nat) -> DigitList:
    """List the decimal digits of the number from left to right."""
    return tuple(map(int, str(number)))


def few_digits(rng: Random, level: int) -> tuple[int, ...]:
    """Draw at most six digits after an occasional leading zero, because longer lists make too large a number."""
    digits = map(int, str(long_number(rng, level)))
    return (0, *digits) if rng.random() < 0.2 else tuple(digits)


@environment(sample=few_digits)
def number_from_digits(digits: DigitList) -> Nat:
    """Read the entries of the list, from left to right, as the decimal digits of one number. Find this number."""
    if not digits:
        raise OutOfDomain("an empty list holds no number")
    number = int("".join(map(str, digits)))
    if number > 1_000_000:
        raise OutOfDomain("the number is larger than a million")
    return number


@environment()
def mean_of_list(values: IntList) -> Rational:
    """Find the arithmetic mean of the entries of the list exactly, without rounding."""
    if not values:
        raise OutOfDomain("an empty list has no mean")
    mean = Fraction(sum(values), len(values))
    if abs(mean.numerator) > 99_999:
        raise OutOfDomain("the numerator of the mean has more than five digits")
    return mean


def long_signed_number(rng: Random, level: int) -> int:
    """Draw three digits or more, because shorter numbers round to zero."""
    return long_number(rng, level) * rng.choice((1, 1, -1))


@environment(sample=long_signed_number)
def rounded_three_ways(number: Int) -> IntList:
    """Round the number to the nearest ten, to the nearest hundred and to the nearest thousand, each time starting from
    the number itself and rounding halves away from zero. List the three results in this order.
    """
    sign = -1 if number < 0 else 1
    return tuple([sign * ((abs(number) + unit // 2) // unit * unit) for unit in (10, 100, 1000)])
