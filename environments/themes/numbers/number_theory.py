"""Primes, divisors and continued fractions in sizes that one can do by hand."""

import math
from fractions import Fraction
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import IntList, IntSet, Nat, PairList, Rational, SmallNat

# fmt: off
PRIMES_BELOW_100 = (
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
)
# fmt: on


def product_of_small_primes(rng: Random, level: int) -> int:
    """Multiply small primes, two of them different, because a random number often has one large prime factor."""
    number = math.prod(rng.sample(PRIMES_BELOW_100[: 4 + 2 * level], 2))
    while number < (30, 100, 400, 1500, 5000)[level - 1]:
        number *= rng.choice((2, 2, 3, 3, 5, 7))
    return number


@environment(sample=product_of_small_primes)
def prime_factorization(number: Nat) -> PairList:
    """Factor the number into primes. For each prime that divides it, in increasing order, give the prime and its
    exponent.
    """
    if number == 0:
        raise OutOfDomain("zero is no product of primes")
    factors = []
    for prime in PRIMES_BELOW_100:
        if number < prime * prime:
            break
        exponent = 0
        while number % prime == 0:
            number, exponent = number // prime, exponent + 1
        if exponent:
            factors.append((prime, exponent))
    if number >= 101**2:
        raise OutOfDomain("what is left without the primes below 100 is too large to factor by hand")
    if number > 1:
        factors.append((number, 1))
    return tuple(factors)


def divisors_of(number: int) -> list[int]:
    """The divisors of a positive number in increasing order."""
    small = [divisor for divisor in range(1, math.isqrt(number) + 1) if number % divisor == 0]
    large = [number // divisor for divisor in reversed(small) if divisor**2 < number]
    return small + large


def number_with_divisors(rng: Random, level: int) -> int:
    """Draw until there are several divisors, but no more than fourteen, because most numbers have few."""
    top, least = (40, 90, 200, 450, 960)[level - 1], (4, 6, 6, 8, 8)[level - 1]
    while True:
        number = rng.randint(top // 3, top)
        if least <= len(divisors_of(number)) <= 14:
            return number


@environment(sample=number_with_divisors)
def divisors(number: Nat) -> IntSet:
    """Find all positive divisors of the number, 1 and the number itself included."""
    if number == 0:
        raise OutOfDomain("every number divides zero")
    if number > 9999:
        raise OutOfDomain("the number has more than four digits, too large for a set that holds it")
    found = divisors_of(number)
    if len(found) > 32:
        raise OutOfDomain("there are more than 32 divisors")
    return tuple(found)


def fraction_with_terms(rng: Random, level: int) -> Fraction:
    """Choose the terms of the continued fraction, because those of a random fraction vary a lot in number and size."""
    terms = [rng.randint(1, 6) for _ in range((2, 3, 3, 4, 5)[level - 1])]
    value = Fraction(terms.pop() + 1)
    while terms:
        value = terms.pop() + 1 / value
    return rng.choice((-3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)) + 1 / value


@environment(sample=fraction_with_terms, grade="course")
def continued_fraction(fraction: Rational) -> IntList:
    """Take the fraction as the current value and repeat: write down the greatest integer not above the current value
    and subtract it. Stop if the rest is 0, otherwise continue with the reciprocal of the rest. List the integers in the
    order in which they were written.
    """
    terms = [math.floor(fraction)]
    while fraction.denominator > 1:
        fraction = 1 / (fraction - terms[-1])
        terms.append(math.floor(fraction))
    return tuple(terms)


@environment()
def primes_up_to(number: SmallNat) -> IntSet:
    """Find all prime numbers that are at most as large as the number."""
    return tuple([prime for prime in PRIMES_BELOW_100 if prime <= number])


def large_digit_sum(rng: Random, level: int) -> int:
    """Draw a sum that needs two digits or more, because one digit would be the sum itself."""
    return rng.randint((10, 10, 10, 14, 20)[level - 1], (30, 44, 50, 53, 54)[level - 1])


@environment(sample=large_digit_sum)
def smallest_number_with_digit_sum(total: SmallNat) -> Nat:
    """Find the smallest positive whole number whose decimal digits add up to the number."""
    if total == 0:
        raise OutOfDomain("no positive number has only zeros for digits")
    if total > 54:
        raise OutOfDomain("the smallest such number is larger than a million")
    nines, rest = divmod(total, 9)
    return int(f"{rest}{'9' * nines}")
