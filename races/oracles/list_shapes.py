"""Hand-worked examples and independent oracles for environments/themes/lists/list_shapes.py."""

from collections import deque
from itertools import chain

import numpy as np

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "first_entries_passed_up": [
        ("[[1,5],[7],[]]", "[[5,7],[],[1]]"),
        ("[[1,2,3]]", "[[2,3,1]]"),
        ("[[4],[2,0,9]]", "[[2],[0,9,4]]"),
        ("[]", "[]"),
    ],
    "entries_in_threes": [
        ("[[1,5],[7,2],[],[9]]", "[[1,5,7],[2,9]]"),
        ("[[]]", "[]"),
        ("[[1,2,3,4]]", "[[1,2,3],[4]]"),
    ],
    "lift_travel": [("[[3,1,4],[7]]", "[5,0]"), ("[[],[-2,2]]", "[0,4]"), ("[[-1000000,1000000]]", None)],
    "pairs_cut_one_later": [("[[1,5],[7,2],[4,0]]", "[[5,7],[2,4],[0,1]]"), ("[[3,8]]", "[[8,3]]"), ("[]", "[]")],
    "sums_and_differences": [("[[1,5],[7,2]]", "[[6,-4],[9,5]]"), ("[]", "[]"), ("[[1000000,1]]", None)],
}

Rows = tuple[tuple[int, ...], ...]
Pairs = tuple[tuple[int, int], ...]


def first_entries_passed_up(x: Rows, y: Rows) -> bool:
    """The entry that each new list got at its end is the first one of the next old list."""

    def right(own: tuple[int, ...], following: tuple[int, ...], new: tuple[int, ...]) -> bool:
        return new == (*own[1:], *following[:1])

    return len(x) == len(y) and all(map(right, x, (*x[1:], *x[:1]), y))


def entries_in_threes(x: Rows, y: Rows) -> bool:
    sizes = [len(row) for row in y]
    full = all(size == 3 for size in sizes[:-1]) and all(1 <= size <= 3 for size in sizes[-1:])
    return full and list(chain(*y)) == list(chain(*x))


def lift_travel(x: Rows, y: tuple[int, ...]) -> bool:
    return list(y) == [int(np.abs(np.diff(np.array(row, dtype=int))).sum()) for row in x]


def pairs_cut_one_later(x: Pairs, y: Pairs) -> bool:
    row = deque(chain(*x))
    row.rotate(-1)
    return list(chain(*y)) == list(row)


def sums_and_differences(x: Pairs, y: Pairs) -> bool:
    """Half the sum and half the difference of what came out are what went in."""
    return [((s + d) / 2, (s - d) / 2) for s, d in y] == list(x)


ORACLES = {
    "first_entries_passed_up": first_entries_passed_up,
    "entries_in_threes": entries_in_threes,
    "lift_travel": lift_travel,
    "pairs_cut_one_later": pairs_cut_one_later,
    "sums_and_differences": sums_and_differences,
}
