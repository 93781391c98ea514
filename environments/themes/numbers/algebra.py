"""Expressions, polynomials and their values: multiplying out, dividing, shifting and writing down."""

from itertools import zip_longest
from random import Random
from typing import Any

from races.environments import OutOfDomain, environment
from races.environments.types import Expr, Int, IntList, PairList, Poly, Str, type_of

Coefficients = tuple[int, ...]
LARGEST = 1_000_000


def bounded(coefficients: list[int]) -> Coefficients:
    """The polynomial without zeros at the end, unless its degree or a coefficient is too large."""
    while len(coefficients) > 1 and not coefficients[-1]:
        coefficients = coefficients[:-1]
    if len(coefficients) > 11:
        raise OutOfDomain("the degree is above 10")
    if max(map(abs, coefficients)) > LARGEST:
        raise OutOfDomain("a coefficient is beyond 1000000")
    return tuple(coefficients)


def value_at_two(tree: Any) -> int:
    """The value of the expression for x = 2."""
    if type(tree) is not tuple:
        return 2 if tree == "x" else int(tree)
    left, right = value_at_two(tree[1]), value_at_two(tree[2])
    if tree[0] == "*":
        return left * right
    return left + right if tree[0] == "+" else left - right


def moderate_expression(rng: Random, level: int) -> Any:
    """An expression whose value at 2 has at most five digits and is worth asking for."""
    while True:
        tree = type_of(Expr).sample(rng, level)
        if 2 <= abs(value_at_two(tree)) <= 99_999:
            return tree


@environment(sample=moderate_expression)
def expression_value_at_two(expression: Expr) -> Int:
    """Find the value of the expression for x = 2."""
    value = value_at_two(expression)
    if abs(value) > LARGEST:
        raise OutOfDomain("the value is beyond 1000000")
    return value


def multiplied_out(tree: Any) -> list[int]:
    """The coefficients of the expression, lowest power first, perhaps with zeros at the end."""
    if type(tree) is not tuple:
        return [0, 1] if tree == "x" else [tree]
    left, right = multiplied_out(tree[1]), multiplied_out(tree[2])
    if tree[0] != "*":
        return [a + b if tree[0] == "+" else a - b for a, b in zip_longest(left, right, fillvalue=0)]
    rows = [[0] * i + [a * b for b in right] for i, a in enumerate(left)]
    return [sum(terms) for terms in zip_longest(*rows, fillvalue=0)]


def expression_with_powers(rng: Random, level: int) -> Any:
    """An expression of degree one to three with small numbers, because others are long to multiply or without x."""
    size, most = ((1, 1), (2, 1), (2, 2), (3, 3), (5, 3))[level - 1]
    while True:
        tree = type_of(Expr).sample(rng, size)
        coefficients = multiplied_out(tree)
        powers = [power for power, value in enumerate(coefficients) if value]
        if powers and 1 <= powers[-1] <= most and max(map(abs, coefficients)) <= 200 * level:
            return tree


@environment(sample=expression_with_powers, grade="course")
def expression_times_x_plus_one(expression: Expr) -> Poly:
    """Multiply the expression by x+1, multiply everything out, and collect the powers of x. Give the resulting
    polynomial.
    """
    coefficients = multiplied_out(expression)
    return bounded([a + b for a, b in zip([0, *coefficients], [*coefficients, 0], strict=True)])


@environment(grade="course")
def horner_form(polynomial: Poly) -> Expr:
    """Start with the coefficient of the highest power of x, a negative -k as the difference 0-k. For each lower power,
    down to the constant term, multiply the whole by x on the right and add the power's coefficient, even 0, or subtract
    k for -k. Give the expression.
    """
    *lower, highest = polynomial
    tree: Any = highest if highest >= 0 else ("-", 0, -highest)
    for coefficient in reversed(lower):
        tree = ("+" if coefficient >= 0 else "-", ("*", tree, "x"), abs(coefficient))
    if tree not in type_of(Expr):
        raise OutOfDomain("the expression would be too long, or hold too large a number")
    return tree


@environment(grade="course")
def taylor_shift(polynomial: Poly) -> Poly:
    """Replace x by (x + 1) in the polynomial and multiply out."""
    shifted = [0]
    for coefficient in reversed(polynomial):
        shifted = [a + b for a, b in zip([*shifted, 0], [0, *shifted], strict=True)]
        shifted[0] += coefficient
    return bounded(shifted)


@environment(grade="course")
def reciprocal_polynomial(polynomial: Poly) -> Poly:
    """Let n be the exponent of the highest power of x in the polynomial. Reverse the order of its coefficients: the
    constant term becomes the coefficient of x^n, the coefficient of x that of x^(n-1), and so on, until the coefficient
    of x^n becomes the constant term.
    """
    return bounded(list(reversed(polynomial)))


def with_several_terms(rng: Random, level: int) -> Coefficients:
    """A polynomial some of whose coefficients are 0, and at least two are not."""
    degree, top = ((3, 9), (4, 12), (5, 20), (7, 50), (9, 99))[level - 1]
    while True:
        lower = [rng.choice((0, 1, 1)) * rng.randint(-top, top) for _ in range(degree)]
        if any(lower):
            return (*lower, rng.choice((-1, 1)) * rng.randint(1, top))


@environment(sample=with_several_terms)
def nonzero_terms(polynomial: Poly) -> PairList:
    """For each power of x whose coefficient in the polynomial is not 0, from the highest power to the lowest, give the
    pair of its coefficient and its exponent; the constant term has the exponent 0.
    """
    return tuple([(value, power) for power, value in reversed(list(enumerate(polynomial))) if value])


@environment(grade="course")
def quotient_by_x_minus_two(polynomial: Poly) -> IntList:
    """Divide the polynomial by (x - 2) with remainder. List the coefficients of the quotient from its highest power of
    x down to its constant term, zeros included, and at the end the remainder.
    """
    if len(polynomial) == 1:
        raise OutOfDomain("the polynomial has the degree 0, so there is nothing to divide")
    values = [0]
    for coefficient in reversed(polynomial):
        values.append(2 * values[-1] + coefficient)
    if max(map(abs, values)) > LARGEST:
        raise OutOfDomain("a coefficient is beyond 1000000")
    return tuple(values[1:])


@environment(sample=with_several_terms, grade="course")
def polynomial_in_usual_notation(polynomial: Poly) -> Str:
    """Write the polynomial as usual, from the highest power of x to the lowest and without spaces, in the style of
    -x^3+4x-1: no term with coefficient 0, no coefficient 1 before x, no exponent 1, no plus sign at the start. Write
    the zero polynomial as 0.
    """
    text = ""
    for power, value in reversed(list(enumerate(polynomial))):
        if value:
            size = "" if power and abs(value) == 1 else str(abs(value))
            letter = "" if not power else "x" if power == 1 else f"x^{power}"
            text += ("-" if value < 0 else "+") + size + letter
    text = text.removeprefix("+") or "0"
    if len(text) > 64:
        raise OutOfDomain("the string would have more than 64 characters")
    return text


def moderate_number(rng: Random, level: int) -> int:
    """Stay below the millions that integers otherwise reach, because the coefficients are multiples of the number."""
    return rng.randint(2, (12, 40, 200, 2000, 9000)[level - 1]) * rng.choice((1, 1, -1))


@environment(sample=moderate_number, grade="course")
def product_of_linear_factors(number: Int) -> Poly:
    """Multiply out (x - n)(3x + 2), where n is the number."""
    return bounded([-2 * number, 2 - 3 * number, 3])
