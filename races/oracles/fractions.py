"""Hand-worked examples and independent oracles for environments/themes/numbers/fractions.py."""

from fractions import Fraction
from itertools import pairwise
from math import gcd

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "mixed_number_parts": [
        ('"22/7"', "[3, 1, 7]"),
        ('"-22/7"', "[-4, 6, 7]"),
        ('"3/1"', "[3, 0, 1]"),
        ('"2/5"', "[0, 2, 5]"),
        ('"-2/1"', "[-2, 0, 1]"),
    ],
    "calkin_wilf_successor": [
        ('"1/1"', '"1/2"'),
        ('"1/2"', '"2/1"'),
        ('"2/1"', '"1/3"'),
        ('"1/3"', '"3/2"'),
        ('"3/2"', '"2/3"'),
        ('"2/3"', '"3/1"'),
        ('"-3/2"', '"-2/3"'),
        ('"-1/1"', None),
        ('"99999/1"', None),
    ],
    "whole_and_numerator_exchanged": [
        ('"7/3"', '"5/3"'),
        ('"-7/3"', '"1/1"'),
        ('"40/9"', '"40/9"'),
        ('"5/8"', '"5/1"'),
        ('"4/1"', '"4/1"'),
        ('"99998/99999"', '"99998/1"'),
        ('"1997/999"', None),
    ],
    "halfway_to_next_whole": [
        ('"7/3"', '"8/3"'),
        ('"2/1"', '"5/2"'),
        ('"-7/3"', '"-13/6"'),
        ('"-1/2"', '"-1/4"'),
        ('"1/99998"', None),
    ],
    "engel_expansion": [
        ('"5/12"', "[3, 4]"),
        ('"22/7"', "[7]"),
        ('"-22/7"', "[2, 2, 3, 4, 7]"),
        ('"3/1"', "[]"),
        ('"5/7"', "[2, 3, 4, 7]"),
    ],
}


def mixed_number_parts(x: Fraction, y: tuple[int, ...]) -> bool:
    """The parts make up the fraction, and the last two have no common divisor."""
    whole, numerator, denominator = y
    return whole + Fraction(numerator, denominator) == x and 0 <= numerator < denominator and gcd(*y[1:]) == 1


def calkin_wilf_successor(x: Fraction, y: Fraction) -> bool:
    """The fraction and the reciprocal of the result mirror each other about the middle of the unit interval."""
    return y != 0 and x + 1 / y == 2 * (x // 1) + 1


def whole_and_numerator_exchanged(x: Fraction, y: Fraction) -> bool:
    """Taking the old numerator away leaves the old integer over the denominator, and both make up the fraction."""
    old = x % 1
    whole = (y - old.numerator) * old.denominator
    return whole.denominator == 1 and whole + old == x


def halfway_to_next_whole(x: Fraction, y: Fraction) -> bool:
    """Going on as far again leads to a whole number, and to none further than 1."""
    goal = 2 * y - x
    return goal.denominator == 1 and 0 < goal - x <= 1


def engel_expansion(x: Fraction, y: tuple[int, ...]) -> bool:
    """The sum of the reciprocals of the running products; it is the only one that never falls and starts above 1."""
    total, product = Fraction(0), 1
    for term in y:
        product *= term
        total += Fraction(1, product)
    return total == x % 1 and all(a <= b for a, b in pairwise((2, *y)))


ORACLES = {
    "mixed_number_parts": mixed_number_parts,
    "calkin_wilf_successor": calkin_wilf_successor,
    "whole_and_numerator_exchanged": whole_and_numerator_exchanged,
    "halfway_to_next_whole": halfway_to_next_whole,
    "engel_expansion": engel_expansion,
}
