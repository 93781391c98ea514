"""First-course algebra: fractions, percentages, averages and simple equations."""

from fractions import Fraction
from random import Random
from typing import Any

from races.environments import OutOfDomain, environment
from races.environments.types import BitString, Expr, Int, IntList, IntPair, Rational, Str

LARGEST = 1_000_000


def bounded(fraction: Fraction) -> Fraction:
    """The fraction, unless its numerator or its denominator has more than five digits."""
    if abs(fraction.numerator) > 99_999 or fraction.denominator > 99_999:
        raise OutOfDomain("the numerator or the denominator has more than five digits")
    return fraction


def moderate_number(rng: Random, level: int) -> int:
    """Stay below the millions that integers otherwise reach, because the result has to be a small fraction."""
    return rng.randint(2, (30, 90, 300, 2000, 9000)[level - 1]) * rng.choice((1, 1, -1))


@environment(sample=moderate_number)
def number_thought_of(number: Int) -> Rational:
    """Someone thinks of a secret value, which need not be whole. Multiplying it by 6, adding 5 and then halving the
    result gives the number. Find the secret value.
    """
    return bounded(Fraction(2 * number - 5, 6))


@environment(sample=moderate_number)
def linear_diophantine_solution(number: Int) -> IntPair:
    """Find the integers x and y for which 5 times x plus 8 times y is the number and x is at least 0 and at most 7; y
    may be negative. Give x, then y.
    """
    x = next(x for x in range(8) if (number - 5 * x) % 8 == 0)
    return x, (number - 5 * x) // 8


@environment()
def percentage_of_first_number(pair: IntPair) -> Rational:
    """Find what percentage of the first number the second number is, exactly and without rounding. Give the number of
    percent, for instance 50 where the second number is half of the first.
    """
    first, second = pair
    if not first:
        raise OutOfDomain("nothing but 0 is a percentage of 0")
    return bounded(Fraction(100 * second, first))


@environment()
def entry_for_average_of_ten(values: IntList) -> Int:
    """One more entry is to be written at the end of the list so that the arithmetic mean of all entries, the new one
    included, becomes exactly 10. Find this entry.
    """
    entry = 10 * (len(values) + 1) - sum(values)
    if abs(entry) > LARGEST:
        raise OutOfDomain("the entry is beyond 1000000")
    return entry


@environment()
def expression_with_this_zero(fraction: Rational) -> Expr:
    """Let p/q be the fraction in lowest terms with positive q. Write the expression for q times x minus p, beginning
    with q and *, even if q is 1. If p is negative, add its value without the sign instead of subtracting p.
    """
    p, q = fraction.numerator, fraction.denominator
    tree: Any = ("*", q, "x")
    return ("-", tree, p) if p >= 0 else ("+", tree, -p)


@environment()
def mediant_with_one_half(fraction: Rational) -> Rational:
    """Write the fraction in lowest terms with a positive denominator. Add 1 to the numerator and 2 to the denominator,
    and reduce the result to lowest terms.
    """
    return bounded(Fraction(fraction.numerator + 1, fraction.denominator + 2))


@environment()
def numerator_plus_and_minus_denominator(fraction: Rational) -> IntPair:
    """Write the fraction in lowest terms with a positive denominator. Give the sum of its numerator and its denominator
    as the first number, and its numerator minus its denominator as the second.
    """
    return fraction.numerator + fraction.denominator, fraction.numerator - fraction.denominator


@environment()
def decimal_notation(fraction: Rational) -> Str:
    """Write the fraction as a decimal number with a point and exactly four digits after it, leaving off all further
    digits without rounding. Write 0 before the point if there is no whole part, and a minus sign in front if the
    fraction is negative.
    """
    whole, rest = divmod(abs(fraction.numerator) * 10_000 // fraction.denominator, 10_000)
    return f"{'-' if fraction < 0 else ''}{whole}.{rest:04d}"


@environment()
def fraction_grown_by_bits(bits: BitString) -> Rational:
    """Start with numerator 1 and denominator 1. For each bit from left to right, add the denominator to the numerator
    if the bit is 1, and the numerator to the denominator if it is 0. Give the fraction reached at the end.
    """
    numerator = denominator = 1
    for bit in bits:
        if bit == "1":
            numerator += denominator
        else:
            denominator += numerator
    return bounded(Fraction(numerator, denominator))
