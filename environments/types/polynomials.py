"""Polynomials in one variable with integer coefficients."""

from random import Random
from typing import Annotated

from races.environments.types.base import Type, are_ints
from races.environments.types.collections import Ints
from races.environments.types.scalars import BIG


class PolynomialType(Type[Ints]):
    """Polynomials as their coefficients, lowest degree first, without trailing zeros; the zero polynomial is (0,)."""

    def belongs(self, value: object) -> bool:
        if not are_ints(value, -BIG, BIG) or not 1 <= len(value) <= 11:
            return False
        return value == (0,) or value[-1] != 0

    def healthy(self, value: Ints) -> bool:
        return len(value) >= 3

    def sample(self, rng: Random, level: int) -> Ints:
        top, degree = (4, 6, 9, 9, 15)[level - 1], (2, 2, 3, 4, 5)[level - 1]
        return (*[rng.randint(-top, top) for _ in range(degree)], rng.choice([c for c in range(-top, top + 1) if c]))


Poly = Annotated[
    Ints,
    PolynomialType(
        "Poly",
        "a polynomial in x, given as the list of its coefficients from the constant term upwards, "
        "without zeros at the end",
        "a JSON array of the coefficients from the constant term upwards, without zeros at the end "
        "([0] for the zero polynomial)",
        ((1, 0, -3), (-2, 5, 4)),
    ),
]
