"""Quotients, remainders and halves."""

from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import DigitList, Int, IntList, IntPair, Nat, NatList, SmallNat


def number_to_halve(rng: Random, level: int) -> int:
    """Begin with at least ten, because smaller numbers are halved only two or three times."""
    low, high = (10, 40, 150, 600, 3000)[level - 1], (60, 250, 999, 4000, 16_000)[level - 1]
    return rng.randint(low, high) * rng.choice((1, 1, 1, -1))


@environment(sample=number_to_halve)
def halving_sequence(number: Int) -> IntList:
    """Start with the number and keep halving it, each time rounding a half towards 0, until 0 is reached. List the
    number and all results in the order in which they arise, without the final 0.
    """
    if number == 0:
        raise OutOfDomain("the number is 0 before it is halved")
    sign, size = (-1, -number) if number < 0 else (1, number)
    found = []
    while size:
        found.append(sign * size)
        size //= 2
    return tuple(found)


def pair_to_divide(rng: Random, level: int) -> tuple[int, int]:
    """A first number that is larger than the second, because otherwise the quotient is 0 or -1."""
    divisor = rng.randint(3, (9, 12, 25, 60, 200)[level - 1])
    dividend = rng.randint(divisor + 1, divisor * (9, 12, 40, 90, 300)[level - 1])
    return dividend * rng.choice((1, 1, -1)), divisor * rng.choice((1, 1, 1, -1))


@environment(sample=pair_to_divide)
def quotient_and_remainder(pair: IntPair) -> IntPair:
    """Divide the first number by the second: find the integer quotient and the remainder, at least 0 and smaller than
    the second number without its sign, such that the second number times the quotient, plus the remainder, is the first
    number. Give the quotient and then the remainder.
    """
    dividend, divisor = pair
    if divisor == 0:
        raise OutOfDomain("nothing can be divided by 0")
    quotient, remainder = divmod(dividend, abs(divisor))
    return (quotient if divisor > 0 else -quotient), remainder


@environment()
def remainders_from_two_to_ten(number: Nat) -> DigitList:
    """Divide the number by 2, by 3, by 4 and so on up to 10, each time starting from the number itself. List the nine
    remainders in this order.
    """
    return tuple([number % divisor for divisor in range(2, 11)])


def divisor_of_powers(rng: Random, level: int) -> int:
    """Begin with seven, because the remainders by smaller numbers are all alike."""
    return rng.randint((7, 7, 9, 15, 21)[level - 1], (21, 40, 48, 56, 60)[level - 1])


@environment(sample=divisor_of_powers)
def remainders_of_powers_of_two(number: SmallNat) -> NatList:
    """Take the twelve numbers 1, 2, 4, ..., 2048, each of them twice the one before. Divide each by the number and list
    the twelve remainders in this order.
    """
    if number == 0:
        raise OutOfDomain("nothing can be divided by 0")
    return tuple([2**exponent % number for exponent in range(12)])
