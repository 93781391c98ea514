"""Hand-worked examples and independent oracles for environments/themes/numbers/polynomials.py."""

import sympy

X = sympy.Symbol("x")
Coefficients = tuple[int, ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "polynomial_derivative": [
        ("[5, -3, 0, 2]", "[-3, 0, 6]"),
        ("[7]", "[0]"),
        ("[0]", "[0]"),
        ("[0, 0, 600000]", None),
    ],
    "product_with_x_plus_one": [
        ("[2, -1, 3]", "[2, 1, 2, 3]"),
        ("[0]", "[0]"),
        ("[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", None),
        ("[600000, 600000]", None),
    ],
    "polynomial_values": [("[1, -2, 1]", "[1, 0, 1, 4, 9]"), ("[0]", "[0, 0, 0, 0, 0]"), ("[0, 0, 100000]", None)],
    "polynomial_from_descending_coefficients": [
        ("[4, 0, -7]", "[-7, 0, 4]"),
        ("[0, 0, 3, 0]", "[0, 3]"),
        ("[0, 0]", "[0]"),
        ("[]", None),
        ("[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]", None),
        (str([1] + [0] * 10), str([0] * 10 + [1])),
    ],
    "polynomial_with_two_roots": [
        ("[3, -5]", "[-15, 2, 1]"),
        ("[4, 4]", "[16, -8, 1]"),
        ("[0, 0]", "[0, 0, 1]"),
        ("[1001, 1001]", None),
    ],
}


def made(coefficients: Coefficients) -> sympy.Poly:
    return sympy.Poly(list(reversed(coefficients)), X)


def polynomial_derivative(x: Coefficients, y: Coefficients) -> bool:
    return made(x).diff(X) == made(y)


def product_with_x_plus_one(x: Coefficients, y: Coefficients) -> bool:
    """Division gives the polynomial back, without a remainder."""
    quotient, remainder = sympy.div(made(y), sympy.Poly(X + 1, X))
    return quotient == made(x) and remainder.is_zero


def polynomial_values(x: Coefficients, y: Coefficients) -> bool:
    """The values determine the polynomial up to multiples of x(x-1)(x-2)(x-3)(x-4)."""
    through = sympy.Poly(sympy.interpolate(list(enumerate(y)), X), X)
    vanishing = sympy.Poly(sympy.prod([X - i for i in range(5)]), X)
    return len(y) == 5 and sympy.rem(made(x), vanishing) == through


def polynomial_from_descending_coefficients(x: Coefficients, y: Coefficients) -> bool:
    return sympy.Poly(list(x), X) == made(y)


def polynomial_with_two_roots(x: tuple[int, int], y: Coefficients) -> bool:
    """It is monic of degree two and vanishes at both numbers, twice where they are equal."""
    a, b = x
    zeros = [made(y).eval(a), made(y).eval(b), made(y).diff(X).eval(a) if a == b else 0]
    return len(y) == 3 and y[2] == 1 and zeros == [0, 0, 0]


ORACLES = {
    "polynomial_derivative": polynomial_derivative,
    "product_with_x_plus_one": product_with_x_plus_one,
    "polynomial_values": polynomial_values,
    "polynomial_from_descending_coefficients": polynomial_from_descending_coefficients,
    "polynomial_with_two_roots": polynomial_with_two_roots,
}
