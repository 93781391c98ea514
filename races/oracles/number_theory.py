"""Hand-worked examples and independent oracles for environments/themes/numbers/number_theory.py."""

from fractions import Fraction
from functools import cache

import numpy as np
import sympy

_840 = (
    "[1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 15, 20, 21, 24, 28, "
    "30, 35, 40, 42, 56, 60, 70, 84, 105, 120, 140, 168, 210, 280, 420, 840]"
)
EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "prime_factorization": [
        ("360", "[[2, 3], [3, 2], [5, 1]]"),
        ("97", "[[97, 1]]"),
        ("206", "[[2, 1], [103, 1]]"),
        ("1", "[]"),
        ("0", None),
        ("10201", None),
        ("10007", "[[10007, 1]]"),
    ],
    "divisors": [
        ("60", "[1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60]"),
        ("49", "[1, 7, 49]"),
        ("1", "[1]"),
        ("0", None),
        ("5040", None),
        ("10000", None),
        ("9999", "[1, 3, 9, 11, 33, 99, 101, 303, 909, 1111, 3333, 9999]"),
        (
            "840",
            _840,
        ),
    ],
    "continued_fraction": [
        ('"43/19"', "[2, 3, 1, 4]"),
        ('"-3/2"', "[-2, 2]"),
        ('"5/12"', "[0, 2, 2, 2]"),
        ('"-4/1"', "[-4]"),
        ('"0/1"', "[0]"),
    ],
    "primes_up_to": [("20", "[2, 3, 5, 7, 11, 13, 17, 19]"), ("13", "[2, 3, 5, 7, 11, 13]"), ("2", "[2]"), ("1", "[]")],
    "smallest_number_with_digit_sum": [
        ("23", "599"),
        ("18", "99"),
        ("7", "7"),
        ("54", "999999"),
        ("55", None),
        ("0", None),
    ],
}


def prime_factorization(x: int, y: tuple[tuple[int, int], ...]) -> bool:
    return x > 0 and dict(y) == sympy.factorint(x) and list(y) == sorted(dict(y).items())


def divisors(x: int, y: tuple[int, ...]) -> bool:
    return list(y) == [d for d in range(1, x + 1) if x % d == 0]


def continued_fraction(x: Fraction, y: tuple[int, ...]) -> bool:
    """The one expansion whose later terms are positive and whose last one is not 1, unless it is the only one."""
    value = Fraction(y[-1])
    for term in reversed(y[:-1]):
        value = term + 1 / value
    return value == x and all(term > 0 for term in y[1:]) and (len(y) == 1 or y[-1] > 1)


def primes_up_to(x: int, y: tuple[int, ...]) -> bool:
    return list(y) == list(sympy.primerange(2, x + 1))


@cache
def first_by_digit_sum() -> dict[int, int]:
    """Every number below a million by the sum of its digits, as a cube of six axes with one digit each."""
    sums = sum(np.indices((10,) * 6)).ravel()
    found, first = np.unique(sums[1:], return_index=True)
    return dict(zip(found.tolist(), (first + 1).tolist(), strict=True))


def smallest_number_with_digit_sum(x: int, y: int) -> bool:
    return first_by_digit_sum().get(x) == y


ORACLES = {
    "prime_factorization": prime_factorization,
    "divisors": divisors,
    "continued_fraction": continued_fraction,
    "primes_up_to": primes_up_to,
    "smallest_number_with_digit_sum": smallest_number_with_digit_sum,
}
