"""Hand-worked examples and independent oracles for environments/themes/numbers/equations.py."""

from decimal import ROUND_DOWN, Context, Decimal
from fractions import Fraction
from statistics import mean
from typing import Any

import sympy

from races.environments.types import Expr, type_of

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "number_thought_of": [("17", '"29/6"'), ("-5", '"-5/2"'), ("0", '"-5/6"'), ("1000000", None)],
    "linear_diophantine_solution": [("31", "[3, 2]"), ("1", "[5, -3]"), ("-7", "[5, -4]"), ("0", "[0, 0]")],
    "percentage_of_first_number": [
        ("[80, 100]", '"125/1"'),
        ("[-30, 20]", '"-200/3"'),
        ("[7, 0]", '"0/1"'),
        ("[0, 5]", None),
        ("[1, 1000]", None),
    ],
    "entry_for_average_of_ten": [("[4, -7, 12]", "31"), ("[]", "10"), ("[1000000, 1000000]", None)],
    "expression_with_this_zero": [
        ('"3/7"', '"7*x-3"'),
        ('"-5/2"', '"2*x+5"'),
        ('"0/1"', '"1*x-0"'),
        ('"4/1"', '"1*x-4"'),
    ],
    "mediant_with_one_half": [('"3/7"', '"4/9"'), ('"5/4"', '"1/1"'), ('"-1/3"', '"0/1"'), ('"99999/1"', None)],
    "numerator_plus_and_minus_denominator": [
        ('"3/7"', "[10, -4]"),
        ('"-5/2"', "[-3, -7]"),
        ('"0/1"', "[1, -1]"),
    ],
    "decimal_notation": [
        ('"-22/7"', '"-3.1428"'),
        ('"5/4"', '"1.2500"'),
        ('"-1/50000"', '"-0.0000"'),
        ('"0/1"', '"0.0000"'),
        ('"2/3"', '"0.6666"'),
    ],
    "fraction_grown_by_bits": [
        ('"1101"', '"7/4"'),
        ('"0"', '"1/2"'),
        ('"10101010101010101010101010"', None),
    ],
}


def number_thought_of(x: int, y: Fraction) -> bool:
    return (6 * y + 5) / 2 == x


def linear_diophantine_solution(x: int, y: tuple[int, int]) -> bool:
    """All solutions differ by multiples of (8, -5), so only one has such an x."""
    return y[0] in range(8) and 5 * y[0] + 8 * y[1] == x


def percentage_of_first_number(x: tuple[int, int], y: Fraction) -> bool:
    return x[0] * y / 100 == x[1]


def entry_for_average_of_ten(x: tuple[int, ...], y: int) -> bool:
    return mean([*map(Fraction, x), Fraction(y)]) == 10


def expression_with_this_zero(x: Fraction, y: Any) -> bool:
    """The equation has this solution, and its numbers are those of the fraction."""
    written = str(type_of(Expr).encode(y))
    value = eval(written, {"x": sympy.Rational(x.numerator, x.denominator)})
    start = f"{x.denominator}*x"
    return value == 0 and written == start + ("-" if x >= 0 else "+") + str(abs(x.numerator))


def mediant_with_one_half(x: Fraction, y: Fraction) -> bool:
    """It lies between the two, and divides their distance as the denominators say."""
    half = Fraction(1, 2)
    return x.denominator * (y - x) == 2 * (half - y)


def numerator_plus_and_minus_denominator(x: Fraction, y: tuple[int, int]) -> bool:
    p, q = (y[0] + y[1]) // 2, (y[0] - y[1]) // 2
    return (p + q, p - q) == y and f"{p}/{q}" == f"{x.numerator}/{x.denominator}"


def decimal_notation(x: Fraction, y: str) -> bool:
    exact = Context(prec=60, rounding=ROUND_DOWN)
    value = exact.divide(Decimal(abs(x.numerator)), Decimal(x.denominator))
    cut = value.quantize(Decimal("0.0001"), rounding=ROUND_DOWN)
    return y == ("-" if x < 0 else "") + f"{cut:.4f}"


def fraction_grown_by_bits(x: str, y: Fraction) -> bool:
    """Going back, the larger of the two numbers tells which bit was the last."""
    p, q, bits = y.numerator, y.denominator, ""
    while p != q and p > 0 and len(bits) <= len(x):
        bits = ("1" if p > q else "0") + bits
        p, q = (p - q, q) if p > q else (p, q - p)
    return bits == x and p == q == 1


ORACLES = {
    "number_thought_of": number_thought_of,
    "linear_diophantine_solution": linear_diophantine_solution,
    "percentage_of_first_number": percentage_of_first_number,
    "entry_for_average_of_ten": entry_for_average_of_ten,
    "expression_with_this_zero": expression_with_this_zero,
    "mediant_with_one_half": mediant_with_one_half,
    "numerator_plus_and_minus_denominator": numerator_plus_and_minus_denominator,
    "decimal_notation": decimal_notation,
    "fraction_grown_by_bits": fraction_grown_by_bits,
}
