"""Hand-worked examples and independent oracles for environments/themes/numbers/divisibility.py."""

from fractions import Fraction
from itertools import pairwise

Ints = tuple[int, ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "halving_sequence": [
        ("22", "[22, 11, 5, 2, 1]"),
        ("-13", "[-13, -6, -3, -1]"),
        ("1", "[1]"),
        ("-1", "[-1]"),
        ("0", None),
    ],
    "quotient_and_remainder": [
        ("[47, 6]", "[7, 5]"),
        ("[-47, 6]", "[-8, 1]"),
        ("[47, -6]", "[-7, 5]"),
        ("[-47, -6]", "[8, 1]"),
        ("[-12, 4]", "[-3, 0]"),
        ("[3, 8]", "[0, 3]"),
        ("[5, 0]", None),
    ],
    "remainders_from_two_to_ten": [
        ("47", "[1, 2, 3, 2, 5, 5, 7, 2, 7]"),
        ("0", "[0, 0, 0, 0, 0, 0, 0, 0, 0]"),
        ("2520", "[0, 0, 0, 0, 0, 0, 0, 0, 0]"),
        ("1", "[1, 1, 1, 1, 1, 1, 1, 1, 1]"),
    ],
    "remainders_of_powers_of_two": [
        ("11", "[1, 2, 4, 8, 5, 10, 9, 7, 3, 6, 1, 2]"),
        ("12", "[1, 2, 4, 8, 4, 8, 4, 8, 4, 8, 4, 8]"),
        ("1", "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]"),
        ("60", "[1, 2, 4, 8, 16, 32, 4, 8, 16, 32, 4, 8]"),
        ("0", None),
    ],
}


def halving_sequence(x: int, y: Ints) -> bool:
    """Exact halves, cut towards zero."""
    return y[0] == x and abs(y[-1]) == 1 and all(int(Fraction(a, 2)) == b for a, b in pairwise(y))


def quotient_and_remainder(x: Ints, y: Ints) -> bool:
    """The law of division with remainder has one solution."""
    return y[0] * x[1] + y[1] == x[0] and y[1] in range(abs(x[1]))


def remainders_from_two_to_ten(x: int, y: Ints) -> bool:
    """What is left after the remainder is taken away is divisible."""
    return len(y) == 9 and all(rest < d and Fraction(x - rest, d).denominator == 1 for d, rest in enumerate(y, 2))


def remainders_of_powers_of_two(x: int, y: Ints) -> bool:
    """Doubling goes from each remainder to the next."""
    doubled = [2 * rest - (x if 2 * rest >= x else 0) for rest in y[:-1]]
    return len(y) == 12 and y[0] == (0 if x == 1 else 1) and list(y[1:]) == doubled


ORACLES = {
    "halving_sequence": halving_sequence,
    "quotient_and_remainder": quotient_and_remainder,
    "remainders_from_two_to_ten": remainders_from_two_to_ten,
    "remainders_of_powers_of_two": remainders_of_powers_of_two,
}
