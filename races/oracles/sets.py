"""Hand-worked examples and independent oracles for environments/themes/lists/sets.py."""

from functools import reduce
from itertools import accumulate, pairwise

Ints = tuple[int, ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "gap_sequence": [
        ("[3, 4, 9, 15]", "[3, 1, 5, 6]"),
        ("[0]", "[0]"),
        ("[]", None),
    ],
    "halved_even_members": [
        ("[3, 6, 8, 16, 21]", "[3, 4, 8, 21]"),
        ("[0, 1, 2]", "[0, 1]"),
        ("[]", "[]"),
    ],
    "first_occurrences": [
        ("[4, -1, 4, 7, -1, 4, 0]", "[4, -1, 7, 0]"),
        ("[2, 2, 2]", "[2]"),
        ("[]", "[]"),
    ],
    "odd_count_values": [
        ("[7, 3, 7, 12, 7, 3, 0]", "[0, 7, 12]"),
        ("[5, 5]", "[]"),
        ("[10000, 3, 10000]", "[3]"),
        ("[10000, 3]", None),
    ],
    "values_in_one_row_only": [
        ("[[4, 4, 9], [1, 9], [], [12, 1, 30]]", "[4, 12, 30]"),
        ("[]", "[]"),
        ("[[-2, 5], [-2]]", "[5]"),
        ("[[-2, 5], [5]]", None),
        ("[[-1], [5]]", None),
    ],
    "consecutive_runs": [
        ("[1, 2, 3, 7, 9, 10]", "[[1, 3], [7, 7], [9, 10]]"),
        ("[]", "[]"),
        ("[" + ", ".join(str(2 * i) for i in range(17)) + "]", None),
    ],
}


def gap_sequence(x: Ints, y: Ints) -> bool:
    return tuple(accumulate(y)) == x


def halved_even_members(x: Ints, y: Ints) -> bool:
    """A number is there exactly if its double was a member, or if it is odd and was one itself."""
    return list(y) == [n for n in range(max(x, default=0) + 1) if 2 * n in x or (n % 2 == 1 and n in x)]


def first_occurrences(x: Ints, y: Ints) -> bool:
    return list(y) == [value for i, value in enumerate(x) if x.index(value) == i]


def odd_count_values(x: Ints, y: Ints) -> bool:
    return set(y) == reduce(lambda met, value: met ^ {value}, x, set())


def values_in_one_row_only(x: tuple[Ints, ...], y: Ints) -> bool:
    alone = [set(row).difference(*(x[:i] + x[i + 1 :])) for i, row in enumerate(x)]
    return set(y) == set().union(*alone)


def consecutive_runs(x: Ints, y: tuple[tuple[int, int], ...]) -> bool:
    spread = [number for low, high in y for number in range(low, high + 1)]
    return spread == list(x) and all(left[1] + 1 < right[0] for left, right in pairwise(y))


ORACLES = {
    "gap_sequence": gap_sequence,
    "halved_even_members": halved_even_members,
    "first_occurrences": first_occurrences,
    "odd_count_values": odd_count_values,
    "values_in_one_row_only": values_in_one_row_only,
    "consecutive_runs": consecutive_runs,
}
