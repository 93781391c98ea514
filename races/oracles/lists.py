"""Hand-worked examples and independent oracles for environments/themes/lists/lists.py."""

from functools import reduce
from itertools import pairwise

import numpy as np

Ints = tuple[int, ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "swap_halves": [
        ("[1, 2, 3, 4, 5]", "[4, 5, 3, 1, 2]"),
        ("[7, -2, 7, 0]", "[7, 0, 7, -2]"),
        ("[6]", "[6]"),
        ("[]", "[]"),
    ],
    "interleave_halves": [
        ("[1, 2, 3, 4, 5, 6]", "[1, 4, 2, 5, 3, 6]"),
        ("[10, 20, 30, 40, 50]", "[10, 40, 20, 50, 30]"),
        ("[3, 9]", "[3, 9]"),
        ("[]", "[]"),
    ],
    "run_lengths": [
        ("[4, 4, -1, 4, 0, 0, 0]", "[[4, 2], [-1, 1], [4, 1], [0, 3]]"),
        ("[]", "[]"),
        ("[" + ", ".join(["0, 1"] * 20) + "]", None),
    ],
    "repeated_values": [
        ("[[5, 2], [-3, 1], [5, 0], [0, 3]]", "[5, 5, -3, 0, 0, 0]"),
        ("[]", "[]"),
        ("[[7, 40]]", "[" + ", ".join(["7"] * 40) + "]"),
        ("[[7, 41]]", None),
        ("[[7, 2], [7, -1]]", None),
    ],
    "last_digits": [("[47, -13, 0, 250, -9]", "[7, 3, 0, 0, 9]"), ("[]", "[]")],
    "alternating_sum": [
        ("[5, 2, -4, 10]", "-11"),
        ("[8]", "8"),
        ("[]", "0"),
        ("[1000000, -1]", None),
    ],
}


def swap_halves(x: Ints, y: Ints) -> bool:
    half, odd = divmod(len(x), 2)
    if odd and (len(y) != len(x) or y[half] != x[half]):
        return False
    outer = [value for i, value in enumerate(x) if not (odd and i == half)]
    mine = [value for i, value in enumerate(y) if not (odd and i == half)]
    return mine == [int(value) for value in np.roll(np.array(outer, dtype=np.int64), half)]


def interleave_halves(x: Ints, y: Ints) -> bool:
    return y[0::2] + y[1::2] == x


def run_lengths(x: Ints, y: tuple[tuple[int, int], ...]) -> bool:
    spread = [value for value, count in y for _ in range(count)]
    apart = all(left[0] != right[0] for left, right in pairwise(y))
    return spread == list(x) and apart and all(count >= 1 for _, count in y)


def repeated_values(x: tuple[tuple[int, int], ...], y: Ints) -> bool:
    rest = list(y)
    for value, count in x:
        if rest[:count] != [value] * count:
            return False
        del rest[:count]
    return not rest


def last_digits(x: Ints, y: Ints) -> bool:
    return list(y) == [int(str(value)[-1]) for value in x]


def alternating_sum(x: Ints, y: int) -> bool:
    return y == reduce(lambda rest, value: value - rest, reversed(x), 0)


ORACLES = {
    "swap_halves": swap_halves,
    "interleave_halves": interleave_halves,
    "run_lengths": run_lengths,
    "repeated_values": repeated_values,
    "last_digits": last_digits,
    "alternating_sum": alternating_sum,
}
