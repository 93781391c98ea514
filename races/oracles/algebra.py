"""Hand-worked examples and independent oracles for environments/themes/numbers/algebra.py."""

import re
from typing import Any

import sympy

from races.environments.types import Expr, type_of

X = sympy.Symbol("x")
Coefficients = tuple[int, ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "expression_value_at_two": [
        ('"(x+3)*x-4"', "6"),
        ('"1-x-x*(5-3)"', "-5"),
        ('"x"', "2"),
        ('"99999*99999"', None),
    ],
    "expression_times_x_plus_one": [
        ('"(x+3)*x-4"', "[-4, -1, 4, 1]"),
        ('"(x-1)*(5-x)"', "[-5, 1, 5, -1]"),
        ('"x-x"', "[0]"),
        ('"7"', "[7, 7]"),
        ('"x*x*x*x*x*x*x*x*x*x*x"', None),
        ('"x*99999*99999"', None),
    ],
    "horner_form": [
        ("[-4, 3, 1]", '"(1*x+3)*x-4"'),
        ("[5, 0, 2, -7]", '"(((0-7)*x+2)*x+0)*x+5"'),
        ("[-6]", '"0-6"'),
        ("[0]", '"0"'),
        ("[100000]", None),
    ],
    "taylor_shift": [
        ("[1, 0, 2]", "[3, 4, 2]"),
        ("[0, 0, 0, 1]", "[1, 3, 3, 1]"),
        ("[5]", "[5]"),
        ("[0]", "[0]"),
        ("[900000, 900000]", None),
    ],
    "reciprocal_polynomial": [("[5, -3, 0, 2]", "[2, 0, -3, 5]"), ("[0, 0, 4, 1]", "[1, 4]"), ("[0]", "[0]")],
    "nonzero_terms": [("[5, -3, 0, 2]", "[[2, 3], [-3, 1], [5, 0]]"), ("[0]", "[]")],
    "quotient_by_x_minus_two": [
        ("[5, -3, 0, 2]", "[2, 4, 5, 15]"),
        ("[-4, 0, 1]", "[1, 2, 0]"),
        ("[3, 1]", "[1, 5]"),
        ("[9]", None),
        ("[0, 600000]", None),
    ],
    "polynomial_in_usual_notation": [
        ("[-1, 4, 0, -1]", '"-x^3+4x-1"'),
        ("[0, 1, 12]", '"12x^2+x"'),
        ("[1, -1]", '"-x+1"'),
        ("[-1]", '"-1"'),
        ("[0]", '"0"'),
        ("[99999, 99999, 99999, 99999, 99999, 99999, 99999, 99999]", None),
    ],
    "product_of_linear_factors": [("5", "[-10, -13, 3]"), ("-4", "[8, 14, 3]"), ("0", "[0, 2, 3]"), ("500001", None)],
}


def made(coefficients: Coefficients) -> sympy.Poly:
    return sympy.Poly(list(reversed(coefficients)), X)


def text(tree: Any) -> str:
    return str(type_of(Expr).encode(tree))


def expression_value_at_two(x: Any, y: int) -> bool:
    return bool(eval(text(x), {"x": 2}) == y)


def expression_times_x_plus_one(x: Any, y: Coefficients) -> bool:
    return sympy.Poly(eval(text(x), {"x": sympy.Poly(X, X)}), X) * sympy.Poly(X + 1, X) == made(y)


def horner_form(x: Coefficients, y: Any) -> bool:
    """Take the expression apart from the outside: it gives the coefficients, and in numbers it is the polynomial."""
    value, tree, found = sympy.Poly(eval(text(y), {"x": sympy.Poly(X, X)}), X), y, []
    for _ in x[1:]:
        match tree:
            case ("+", ("*", inner, "x"), int(k)):
                found.append(k)
            case ("-", ("*", inner, "x"), int(k)) if k > 0:
                found.append(-k)
            case _:
                return False
        tree = inner
    leading = x[-1] if x[-1] >= 0 else ("-", 0, -x[-1])
    return bool(value == made(x) and tree == leading and found == list(x[:-1]))


def taylor_shift(x: Coefficients, y: Coefficients) -> bool:
    return made(x).compose(sympy.Poly(X + 1, X)) == made(y)


def reciprocal_polynomial(x: Coefficients, y: Coefficients) -> bool:
    """It is x^n times the polynomial at 1/x."""
    n = len(x) - 1
    return all(
        sum(c * t**i for i, c in enumerate(y)) == sum(c * t ** (n - i) for i, c in enumerate(x)) for t in range(12)
    )


def nonzero_terms(x: Coefficients, y: tuple[tuple[int, int], ...]) -> bool:
    terms = made(x).terms()  # sympy lists the highest power first
    return [(int(value), power) for (power,), value in terms if value] == list(y)


def quotient_by_x_minus_two(x: Coefficients, y: Coefficients) -> bool:
    quotient, remainder = sympy.div(made(x), sympy.Poly(X - 2, X))
    return [int(c) for c in [*quotient.all_coeffs(), remainder.eval(0)]] == list(y)


def polynomial_in_usual_notation(x: Coefficients, y: str) -> bool:
    """Read it back, and look at how each term is written."""
    if y == "0":
        return x == (0,)
    terms = re.findall(r"[+-]?[^+-]+", y)
    plain = [re.fullmatch(r"[+-]?(?!1x)([1-9]\d*)?x(\^([2-9]|10))?|[+-]?[1-9]\d*", term) for term in terms]
    if not all(plain) or y[0] == "+" or "".join(terms) != y:
        return False
    powers = [int(term.rpartition("^")[2]) if "^" in term else int("x" in term) for term in terms]
    value = sympy.sympify(re.sub(r"(\d)x", r"\1*x", y).replace("^", "**"))
    return powers == sorted(set(powers), reverse=True) and sympy.Poly(value, X) == made(x)


def product_of_linear_factors(x: int, y: Coefficients) -> bool:
    """It has its zeros at the number and at -2/3, and 3 as the leading coefficient."""
    return len(y) == 3 and y[2] == 3 and made(y).eval(x) == 0 and made(y).eval(sympy.Rational(-2, 3)) == 0


ORACLES = {
    "expression_value_at_two": expression_value_at_two,
    "expression_times_x_plus_one": expression_times_x_plus_one,
    "horner_form": horner_form,
    "taylor_shift": taylor_shift,
    "reciprocal_polynomial": reciprocal_polynomial,
    "nonzero_terms": nonzero_terms,
    "quotient_by_x_minus_two": quotient_by_x_minus_two,
    "polynomial_in_usual_notation": polynomial_in_usual_notation,
    "product_of_linear_factors": product_of_linear_factors,
}
