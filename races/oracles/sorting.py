"""Hand-worked examples and independent oracles for environments/themes/lists/sorting.py."""

from itertools import accumulate, pairwise

from scipy.stats import rankdata

Ints = tuple[int, ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "sorting_permutation": [
        ("[30, -5, 12, -5]", "[1, 3, 2, 0]"),
        ("[9]", "[0]"),
        ("[]", None),
        ("[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]", None),
    ],
    "competition_ranks": [
        ("[50, 80, 80, 20, -1]", "[3, 1, 1, 4, 5]"),
        ("[6, 6, 6]", "[1, 1, 1]"),
        ("[]", "[]"),
    ],
    "bubble_sort_pass": [
        ("[5, 3, 8, 8, 1, 9, 2]", "[3, 5, 8, 1, 8, 2, 9]"),
        ("[4, 1]", "[1, 4]"),
        ("[7]", "[7]"),
        ("[]", "[]"),
    ],
    "ascending_runs": [
        ("[3, 7, 7, 9, -2, 0, -5]", "[[3, 7], [7, 9], [-2, 0], [-5]]"),
        ("[4]", "[[4]]"),
        ("[]", None),
    ],
    "k_way_merge": [
        ("[[3, 1], [2, 9], [], [4]]", "[2, 3, 1, 4, 9]"),
        ("[[2, 9], [2, 1]]", "[2, 2, 1, 9]"),
        ("[[2, 1], [2, 9]]", "[2, 1, 2, 9]"),
        ("[[], []]", "[]"),
        ("[[" + ", ".join(["1"] * 41) + "]]", None),
        (str([[1] * 40]), str([1] * 40)),
    ],
    "pairs_by_sum": [
        ("[[4, 4], [9, -2], [0, 8], [5, 2], [-1, -1]]", "[[-1, -1], [9, -2], [5, 2], [4, 4], [0, 8]]"),
        ("[]", "[]"),
    ],
}


def sorting_permutation(x: Ints, y: Ints) -> bool:
    keys = [(x[position], position) for position in y]
    return len(y) == len(x) and all(low < high for low, high in pairwise(keys))


def competition_ranks(x: Ints, y: Ints) -> bool:
    return list(y) == [int(rank) for rank in rankdata([-value for value in x], method="min")]


def bubble_sort_pass(x: Ints, y: Ints) -> bool:
    """What stands at i after the pass is the smaller of the greatest entry up to i and the entry after it."""
    carried = list(accumulate(x, max))
    return list(y) == [min(high, after) for high, after in zip(carried, x[1:], strict=False)] + carried[-1:]


def ascending_runs(x: Ints, y: tuple[Ints, ...]) -> bool:
    inside = all(a < b for piece in y for a, b in pairwise(piece))
    between = all(left[-1] >= right[0] for left, right in pairwise(y))
    return all(y) and inside and between and sum(y, ()) == x


def k_way_merge(x: tuple[Ints, ...], y: Ints) -> bool:
    """A number leaves its row when the greatest number up to it in the row is due: a plain sort by that key."""
    keyed = []
    for i, row in enumerate(x):
        keyed += [(high, i, j, row[j]) for j, high in enumerate(accumulate(row, max))]
    return list(y) == [value for _, _, _, value in sorted(keyed)]


def pairs_by_sum(x: tuple[tuple[int, int], ...], y: tuple[tuple[int, int], ...]) -> bool:
    """For each sum the pairs that have it stand together, and in the order in which the list had them."""
    groups = [[pair for pair in x if pair[0] + pair[1] == total] for total in sorted({a + b for a, b in x})]
    return list(y) == [pair for group in groups for pair in group]


ORACLES = {
    "sorting_permutation": sorting_permutation,
    "competition_ranks": competition_ranks,
    "bubble_sort_pass": bubble_sort_pass,
    "ascending_runs": ascending_runs,
    "k_way_merge": k_way_merge,
    "pairs_by_sum": pairs_by_sum,
}
