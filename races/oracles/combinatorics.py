"""Hand-worked examples and independent oracles for environments/themes/numbers/combinatorics.py."""

from itertools import combinations, islice, permutations

import numpy as np
from sympy.combinatorics import Permutation

Ints = tuple[int, ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "place_among_integers": [
        ("5", "10"),
        ("-5", "9"),
        ("0", "0"),
        ("-1", "1"),
        ("500001", None),
        ("-500000", "999999"),
    ],
    "arrangement_by_number": [
        ("0", "[0, 1, 2, 3, 4]"),
        ("1", "[0, 1, 2, 4, 3]"),
        ("24", "[1, 0, 2, 3, 4]"),
        ("59", "[2, 1, 4, 3, 0]"),
        ("60", "[2, 3, 0, 1, 4]"),
    ],
    "brackets_of_binary_digits": [
        ("6", '"(()())"'),
        ("11", '"(())()()"'),
        ("4", '"((()))"'),
        ("1", '"()"'),
        ("0", '"()"'),
    ],
    "inversion_count": [
        ("[3, 1, 4, 1, 5]", "3"),
        ("[2, 2, 2]", "0"),
        ("[]", "0"),
        ("[9, 7, -1, 7]", "4"),
        ("[11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]", None),
        ("[11, 10, 9, 8, 7, 6, 5, 4, 0, 1, 3, 2]", None),
    ],
    "cycle_type": [("[2, 0, 1, 4, 3, 5]", "[3, 2, 1]"), ("[0, 1, 2]", "[1, 1, 1]"), ("[1, 2, 3, 0]", "[4]")],
    "permutation_applied_twice": [("[2, 0, 3, 1]", "[3, 2, 1, 0]"), ("[0]", "[0]"), ("[1, 0, 2]", "[0, 1, 2]")],
    "brackets_of_records": [
        ("[1, 0, 3, 2]", '"(())(())"'),
        ("[2, 0, 1, 4, 3]", '"((()))(())"'),
        ("[0, 1, 2]", '"()()()"'),
        ("[0]", '"()"'),
    ],
    "permutation_matrix": [("[2, 0, 1]", "[[0, 0, 1], [1, 0, 0], [0, 1, 0]]"), ("[0]", "[[1]]")],
}


def place_among_integers(x: int, y: int) -> bool:
    """Every second place from the second one on is negative."""
    return x == (-(y + 1) // 2 if y % 2 else y // 2)


def arrangement_by_number(x: int, y: Ints) -> bool:
    """Python makes arrangements in this order."""
    return y == next(islice(permutations(range(5)), x, None))


def brackets_of_binary_digits(x: int, y: str) -> bool:
    """Take the string apart again: a final () was a 1, anything else was put into brackets for a 0."""
    if x == 0:
        return y == "()"
    bits = ""
    while len(y) > 2:
        bits, y = ("1" + bits, y[:-2]) if y.endswith("()") else ("0" + bits, y[1:-1])
    return y == "()" and int("1" + bits, 2) == x


def inversion_count(x: Ints, y: int) -> bool:
    return y == sum(first > second for first, second in combinations(x, 2))


def cycle_type(x: Ints, y: Ints) -> bool:
    structure = Permutation(list(x)).cycle_structure
    return y == tuple(length for length in sorted(structure, reverse=True) for _ in range(structure[length]))


def permutation_applied_twice(x: Ints, y: Ints) -> bool:
    return list(y) == (Permutation(list(x)) ** 2).array_form


def brackets_of_records(x: Ints, y: str) -> bool:
    """Before the closing bracket of an entry there are as many opening ones as the largest entry so far, and one."""
    pieces = y.split(")")
    return pieces[-1] == "" and [sum(map(len, pieces[: i + 1])) for i in range(len(pieces) - 1)] == [
        max(x[: i + 1]) + 1 for i in range(len(x))
    ]


def permutation_matrix(x: Ints, y: tuple[Ints, ...]) -> bool:
    grid = np.array(y)
    return bool((grid == np.eye(len(x), dtype=int)[list(x)]).all()) and grid.shape == (len(x), len(x))


ORACLES = {
    "place_among_integers": place_among_integers,
    "arrangement_by_number": arrangement_by_number,
    "brackets_of_binary_digits": brackets_of_binary_digits,
    "inversion_count": inversion_count,
    "cycle_type": cycle_type,
    "permutation_applied_twice": permutation_applied_twice,
    "brackets_of_records": brackets_of_records,
    "permutation_matrix": permutation_matrix,
}
