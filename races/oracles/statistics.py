"""Hand-worked examples and independent oracles for environments/themes/numbers/statistics.py."""

import statistics
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np

Ints = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "median": [
        ("[4, -2, 7]", '"4/1"'),
        ("[3, 8, 1, 10]", '"11/2"'),
        ("[-3, -4]", '"-7/2"'),
        ("[5]", '"5/1"'),
        ("[]", None),
        ("[1000000]", None),
    ],
    "five_number_summary": [
        ("[9, 2, 4, 4, 7, 1, 8, 6]", "[1, 2, 4, 7, 9]"),
        ("[5, 3, 1, 9, 7, 2, 8]", "[1, 2, 5, 8, 9]"),
        ("[6]", "[6, 6, 6, 6, 6]"),
        ("[3, -1]", "[-1, -1, -1, 3, 3]"),
        ("[]", None),
    ],
    "moving_average": [
        ("[5, 1, 9, 9, 2, 4]", "[5, 5, 6, 6, 5, 4]"),
        ("[1, -7, 2]", "[1, -2, 2]"),
        ("[1, 7]", "[1, 7]"),
        ("[3]", "[3]"),
        ("[]", "[]"),
    ],
    "share_of_largest_count": [
        ('{"oak": 3, "ash": 5, "elm": 2}', '"1/2"'),
        ('{"oak": 7}', '"1/1"'),
        ('{"a": 4, "b": 4, "c": 1}', '"4/9"'),
        ("{}", None),
    ],
    "counts_in_falling_order": [
        ('{"oak": 3, "ash": 5, "elm": 3}', "[5, 3, 3]"),
        ("{}", "[]"),
        ('{"oak": 17, "ash": 2}', None),
        ('{"oak": 16}', "[16]"),
    ],
    "coordinate_sums": [
        ("[[3, -1], [4, 10]]", "[7, 9]"),
        ("[]", "[0, 0]"),
        ("[[600000, 1], [600000, 2]]", None),
    ],
    "weighted_mean": [
        ("[[2, 3], [5, 1]]", '"11/4"'),
        ("[[-4, 2], [1, 4]]", '"-2/3"'),
        ("[[7, 0], [3, 2]]", '"3/1"'),
        ("[[7, 1], [3, -1]]", None),
        ("[]", None),
        ("[[100000, 1]]", None),
    ],
    "rows_by_average": [
        ("[[5, 6], [9, 1, 2], [7], [4]]", "[1, 3, 0, 2]"),
        ("[[2], [1, 3], [2, 2]]", "[0, 1, 2]"),
        ("[[1], []]", None),
        ("[]", None),
        ("[[1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1]]", None),
        ("[[4]]", "[0]"),
        (str([[1]] * 12), str(list(range(12)))),
    ],
    "row_medians": [
        ("[[9, 1, 4], [8, 2], [5]]", "[4, 2, 5]"),
        ("[[1, 7, 7, 3]]", "[3]"),
        ("[]", "[]"),
        ("[[1], []]", None),
    ],
    "smallest_and_largest_entries": [
        ("[[9, 1, 4], [8, -2], [5]]", "[[1, 9], [-2, 8], [5, 5]]"),
        ("[]", "[]"),
        ("[[], [3]]", None),
        ("[" + ", ".join(["[1]"] * 33) + "]", None),
    ],
}


def median(x: Ints, y: Fraction) -> bool:
    return y == statistics.median([Fraction(value) for value in x])


def five_number_summary(x: Ints, y: Ints) -> bool:
    """The quantiles where the share of entries at most as large first reaches the quarter."""
    return list(y) == np.quantile(x, [0, 0.25, 0.5, 0.75, 1], method="inverted_cdf").tolist()


def moving_average(x: Ints, y: Ints) -> bool:
    """Three times a rounded mean falls short of the sum, a convolution with ones, by 0, 1 or 2."""
    if len(x) < 3:
        return y == x
    short = np.convolve(np.array(x), np.ones(3, dtype=int), "valid") - 3 * np.array(y[1:-1])
    return len(y) == len(x) and (y[0], y[-1]) == (x[0], x[-1]) and set(short.tolist()) <= {0, 1, 2}


def share_of_largest_count(x: tuple[tuple[str, int], ...], y: Fraction) -> bool:
    """No share is above the answer, and one is equal to it."""
    total = Counter(dict(x)).total()
    shares = {Fraction(count, total) for _, count in x}
    return y in shares and not any(share > y for share in shares)


def counts_in_falling_order(x: tuple[tuple[str, int], ...], y: Ints) -> bool:
    return y == tuple(count for _, count in Counter(dict(x)).most_common())


def coordinate_sums(x: Pairs, y: Ints) -> bool:
    return list(y) == np.array(x, dtype=np.int64).reshape(-1, 2).sum(axis=0).tolist()


def weighted_mean(x: Pairs, y: Fraction) -> bool:
    """The weighted deviations from the mean cancel out."""
    return sum((value - y) * weight for value, weight in x) == 0 and sum(weight for _, weight in x) != 0


def rows_by_average(x: tuple[Ints, ...], y: Ints) -> bool:
    keys = [(statistics.mean(map(Fraction, x[number])), number) for number in y]
    return sorted(y) == list(range(len(x))) and all(a < b for a, b in pairwise(keys))


def row_medians(x: tuple[Ints, ...], y: Ints) -> bool:
    return list(y) == [statistics.median_low(row) for row in x]


def smallest_and_largest_entries(x: tuple[Ints, ...], y: Pairs) -> bool:
    ordered = [sorted(row) for row in x]
    return list(y) == [(row[0], row[-1]) for row in ordered]


ORACLES = {
    "median": median,
    "five_number_summary": five_number_summary,
    "moving_average": moving_average,
    "share_of_largest_count": share_of_largest_count,
    "counts_in_falling_order": counts_in_falling_order,
    "coordinate_sums": coordinate_sums,
    "weighted_mean": weighted_mean,
    "rows_by_average": rows_by_average,
    "row_medians": row_medians,
    "smallest_and_largest_entries": smallest_and_largest_entries,
}
