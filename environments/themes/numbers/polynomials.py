"""Polynomials in x: deriving, multiplying, evaluating and making them."""

from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import IntList, IntPair, Poly


def bounded(coefficients: tuple[int, ...]) -> tuple[int, ...]:
    """The coefficients, unless there are too many of them or one is too large."""
    if len(coefficients) > 11:
        raise OutOfDomain("the degree is above 10")
    if max(map(abs, coefficients)) > 1_000_000:
        raise OutOfDomain("a coefficient is beyond 1000000")
    return coefficients


def polynomial_to_derive(rng: Random, level: int) -> tuple[int, ...]:
    """Degree three and more, so that the derivative is not just linear."""
    degree, top = ((3, 5), (3, 12), (4, 15), (5, 20), (7, 30))[level - 1]
    return (*[rng.randint(-top, top) for _ in range(degree)], rng.randint(1, top) * rng.choice((1, -1)))


@environment(sample=polynomial_to_derive, grade="course")
def polynomial_derivative(polynomial: Poly) -> Poly:
    """Find the derivative of the polynomial with respect to x."""
    return bounded(tuple([i * coefficient for i, coefficient in enumerate(polynomial)][1:]) or (0,))


@environment(grade="course")
def product_with_x_plus_one(polynomial: Poly) -> Poly:
    """Multiply the polynomial by (x + 1)."""
    if polynomial == (0,):
        return polynomial
    return bounded(tuple([a + b for a, b in zip((*polynomial, 0), (0, *polynomial), strict=True)]))


@environment(grade="course")
def polynomial_values(polynomial: Poly) -> IntList:
    """Evaluate the polynomial at x = 0, 1, 2, 3 and 4. List the five values in this order."""
    values = [sum([coefficient * x**power for power, coefficient in enumerate(polynomial)]) for x in range(5)]
    if max(map(abs, values)) > 1_000_000:
        raise OutOfDomain("a value is beyond 1000000")
    return tuple(values)


def list_of_coefficients(rng: Random, level: int) -> tuple[int, ...]:
    """Short enough for the degrees that a polynomial may have, sometimes with a zero in front."""
    length, top = ((3, 9), (4, 12), (5, 30), (7, 100), (9, 400))[level - 1]
    return (*rng.choice(((), (), (0,))), *rng.sample(range(-top, top + 1), length))


@environment(sample=list_of_coefficients, grade="course")
def polynomial_from_descending_coefficients(values: IntList) -> Poly:
    """Make a polynomial in x whose coefficients, from the highest power of x down to the constant term, are the entries
    of the list from first to last.
    """
    if not values:
        raise OutOfDomain("the list is empty")
    first = next((i for i, value in enumerate(values) if value), len(values) - 1)
    return bounded(values[first:][::-1])


def pair_of_roots(rng: Random, level: int) -> tuple[int, int]:
    """Roots of either sign, never 0, whose product one can work out by hand."""
    top = (9, 12, 20, 50, 99)[level - 1]
    return rng.randint(1, top) * rng.choice((1, -1)), rng.randint(2, top) * rng.choice((1, -1))


@environment(sample=pair_of_roots, grade="course")
def polynomial_with_two_roots(pair: IntPair) -> Poly:
    """Expand the product (x - a)(x - b), where a is the first and b the second of the two numbers."""
    a, b = pair
    return bounded((a * b, -(a + b), 1))
