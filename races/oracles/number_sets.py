"""Hand-worked examples and independent oracles for environments/themes/numbers/number_sets.py."""

from itertools import pairwise

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "distances_from_largest": [("[2,5,11]", "[0,6,9]"), ("[7]", "[0]"), ("[]", "[]")],
    "members_plus_digit_sums": [("[9,91,100]", "[18,101]"), ("[0]", "[0]"), ("[9990]", None)],
    "stem_and_leaf_rows": [("[3,7,41,45,102]", "[[0,3,7],[4,1,5],[10,2]]"), ("[0]", "[[0,0]]"), ("[]", "[]")],
    "nested_intervals": [("[2,5,11]", "[[2,11],[5,5]]"), ("[1,4,7,20]", "[[1,20],[4,7]]"), ("[]", "[]")],
    "cells_of_number_chart": [("[7,41,102]", "[[0,7],[4,1],[10,2]]"), ("[]", "[]"), ("[160]", None)],
}

Ints = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


def distances_from_largest(x: Ints, y: Ints) -> bool:
    return not x if not y else y[0] == 0 and list(y) == sorted(y) and {x[-1] - each for each in y} == set(x)


def members_plus_digit_sums(x: Ints, y: Ints) -> bool:
    """Every digit counts one more than its place does: 1001 a thousand, 101 a hundred, 11 a ten and 2 a unit."""
    results = set()
    for each in x:
        thousands, rest = divmod(each, 1000)
        hundreds, rest = divmod(rest, 100)
        tens, units = divmod(rest, 10)
        results.add(1001 * thousands + 101 * hundreds + 11 * tens + 2 * units)
    return list(y) == sorted(results)


def stem_and_leaf_rows(x: Ints, y: tuple[Ints, ...]) -> bool:
    """The rows, read back, give the members in order, and their stems increase."""
    members = [10 * row[0] + leaf for row in y for leaf in row[1:]]
    return members == list(x) and all(a[0] < b[0] for a, b in pairwise(y)) and all(len(row) > 1 for row in y)


def nested_intervals(x: Ints, y: Pairs) -> bool:
    left = list(x)
    for low, high in y:
        if not left or (low, high) != (min(left), max(left)):
            return False
        left = [each for each in left if low < each < high]
    return not left


def cells_of_number_chart(x: Ints, y: Pairs) -> bool:
    chart = [[10 * row + column for column in range(10)] for row in range(16)]
    return [chart[row][column] for row, column in y] == list(x)


ORACLES = {
    "distances_from_largest": distances_from_largest,
    "members_plus_digit_sums": members_plus_digit_sums,
    "stem_and_leaf_rows": stem_and_leaf_rows,
    "nested_intervals": nested_intervals,
    "cells_of_number_chart": cells_of_number_chart,
}
