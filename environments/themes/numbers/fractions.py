"""Exact fractions: their parts, their neighbours and their expansions."""

import math
from fractions import Fraction
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import IntList, NatList, Rational


@environment()
def mixed_number_parts(fraction: Rational) -> IntList:
    """Find the greatest integer that is not above the fraction, and subtract it from the fraction. List this integer,
    and then the numerator and the denominator of the difference in lowest terms, where 0 is 0/1.
    """
    whole = math.floor(fraction)
    return whole, (fraction - whole).numerator, fraction.denominator


@environment()
def calkin_wilf_successor(fraction: Rational) -> Rational:
    """Find the greatest integer that is not above the fraction. Double this integer, add 1, subtract the fraction, and
    give the reciprocal of the result.
    """
    below = 2 * math.floor(fraction) + 1 - fraction
    if below == 0:
        raise OutOfDomain("zero has no reciprocal")
    if max(abs(below.numerator), below.denominator) > 99_999:
        raise OutOfDomain("the numerator or the denominator has more than five digits")
    return 1 / below


@environment()
def whole_and_numerator_exchanged(fraction: Rational) -> Rational:
    """Write the fraction as an integer, possibly negative, plus a rest that is at least 0, less than 1 and in lowest
    terms, 0 being 0/1. Exchange the integer with the numerator of the rest, keep the denominator, and give the sum of
    the two parts.
    """
    whole, numerator = divmod(fraction.numerator, fraction.denominator)
    exchanged = numerator + Fraction(whole, fraction.denominator)
    if max(abs(exchanged.numerator), exchanged.denominator) > 99_999:
        raise OutOfDomain("the numerator or the denominator has more than five digits")
    return exchanged


@environment()
def halfway_to_next_whole(fraction: Rational) -> Rational:
    """Find the number that lies exactly halfway between the fraction and the smallest integer that is strictly greater
    than the fraction.
    """
    middle = (fraction + math.floor(fraction) + 1) / 2
    if max(abs(middle.numerator), middle.denominator) > 99_999:
        raise OutOfDomain("the numerator or the denominator has more than five digits")
    return middle


def engel_terms(rest: Fraction) -> list[int]:
    """The terms of the Engel expansion of a fraction from 0 to 1, without 1."""
    terms: list[int] = []
    while rest and len(terms) < 41:
        terms.append(math.ceil(1 / rest))
        rest = rest * terms[-1] - 1
    return terms


def fraction_with_engel_terms(rng: Random, level: int) -> Fraction:
    """Draw until there are several different terms, because the expansion often ends at once."""
    top, least = (12, 20, 35, 60, 99)[level - 1], (3, 3, 3, 4, 5)[level - 1]
    while True:
        denominator = rng.randint(5, top)
        rest = Fraction(rng.randint(1, denominator - 1), denominator)
        if least <= len(engel_terms(rest)) <= least + 2 and len(set(engel_terms(rest))) > 1:
            return rng.randint(-level, 2 * level) + rest


@environment(sample=fraction_with_engel_terms)
def engel_expansion(fraction: Rational) -> NatList:
    """Subtract from the fraction the greatest integer not above it. As long as the rest is not 0, write down the
    smallest integer whose product with the rest is at least 1, and make this product minus 1 the new rest. List the
    integers written down.
    """
    terms = engel_terms(fraction - math.floor(fraction))
    if len(terms) > 40:
        raise OutOfDomain("there are more than 40 numbers")
    return tuple(terms)
