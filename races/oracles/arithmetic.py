"""Hand-worked examples and independent oracles for environments/themes/numbers/arithmetic.py."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import reduce

import sympy

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "digit_sum": [("472", "13"), ("0", "0"), ("1000000", "1"), ("999999", "54")],
    "gcd_pair": [("[12, 18]", "6"), ("[0, 5]", "5"), ("[-14, 21]", "7"), ("[0, 0]", None)],
    "digit_list": [("40307", "[4, 0, 3, 0, 7]"), ("0", "[0]"), ("1000000", "[1, 0, 0, 0, 0, 0, 0]")],
    "number_from_digits": [
        ("[3, 0, 8, 2]", "3082"),
        ("[0, 0, 5]", "5"),
        ("[0]", "0"),
        ("[1, 0, 0, 0, 0, 0, 0]", "1000000"),
        ("[1, 0, 0, 0, 0, 0, 1]", None),
        ("[]", None),
    ],
    "mean_of_list": [
        ("[4, -2, 7]", '"3/1"'),
        ("[-1, -4, 3, 0]", '"-1/2"'),
        ("[5]", '"5/1"'),
        ("[]", None),
        ("[1000000]", None),
    ],
    "rounded_three_ways": [
        ("4726", "[4730, 4700, 5000]"),
        ("-3650", "[-3650, -3700, -4000]"),
        ("449", "[450, 400, 0]"),
        ("-5", "[-10, 0, 0]"),
        ("0", "[0, 0, 0]"),
        ("999995", "[1000000, 1000000, 1000000]"),
    ],
}


def digit_sum(x: int, y: int) -> bool:
    """Legendre: a number less nine times the sum of its truncations by one digit, two digits and so on."""
    return y == x - 9 * sum(x // 10**k for k in range(1, 8))


def gcd_pair(x: tuple[int, int], y: int) -> bool:
    a, b = map(abs, x)
    if 0 in (a, b):
        return y == a + b > 0
    first, second = sympy.factorint(a), sympy.factorint(b)
    return y == reduce(int.__mul__, [p ** min(e, second.get(p, 0)) for p, e in first.items()], 1)


def digit_list(x: int, y: tuple[int, ...]) -> bool:
    value = sum(digit * 10**place for place, digit in enumerate(reversed(y)))
    return value == x and (y == (0,) or y[0] != 0)


def number_from_digits(x: tuple[int, ...], y: int) -> bool:
    return len(x) > 0 and y == reduce(lambda value, digit: 10 * value + digit, x)


def mean_of_list(x: tuple[int, ...], y: Fraction) -> bool:
    """The deviations from the mean cancel out."""
    return len(x) > 0 and sum(value - y for value in x) == 0


def rounded_three_ways(x: int, y: tuple[int, ...]) -> bool:
    return [Decimal(each) for each in y] == [Decimal(x).quantize(Decimal(f"1e{k}"), ROUND_HALF_UP) for k in (1, 2, 3)]


ORACLES = {
    "digit_sum": digit_sum,
    "gcd_pair": gcd_pair,
    "digit_list": digit_list,
    "number_from_digits": number_from_digits,
    "mean_of_list": mean_of_list,
    "rounded_three_ways": rounded_three_ways,
}
