"""Hand-worked examples and independent oracles for environments/themes/numbers/partitions.py."""

from collections import Counter

import numpy as np
from sympy.combinatorics.partitions import IntegerPartition

Ints = tuple[int, ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "conjugate_partition": [("[4, 2, 1]", "[3, 2, 1, 1]"), ("[5]", "[1, 1, 1, 1, 1]"), ("[]", None)],
    "bulgarian_solitaire_move": [
        ("[4, 2, 1]", "[3, 3, 1]"),
        ("[1, 1, 1]", "[3]"),
        ("[16]", "[15, 1]"),
        ("[]", None),
        ("[" + ", ".join(["2"] * 16) + "]", None),
    ],
    "young_diagram": [
        ("[3, 1, 1]", "[[1, 1, 1], [1, 0, 0], [1, 0, 0]]"),
        ("[2]", "[[1, 1]]"),
        ("[]", None),
        ("[13, 1]", None),
        (str([1] * 12), str([[1]] * 12)),
    ],
    "multiplicity_partition": [
        ("[4, -1, 4, 0, 9, -1, 4]", "[3, 2, 1, 1]"),
        ("[]", "[]"),
        ("[" + ", ".join(["5"] * 17) + "]", None),
        (str(list(range(16))), str([1] * 16)),
    ],
    "squares_cut_from_rectangle": [
        ("[7, 3]", "[3, 3, 1, 1, 1]"),
        ("[6, 15]", "[6, 6, 3, 3]"),
        ("[8, 8]", "[8]"),
        ("[0, 4]", None),
        ("[1, 41]", None),
        ("[1, 3]", "[1, 1, 1]"),
        ("[1, 40]", str([1] * 40)),
    ],
}


def conjugate_partition(x: Ints, y: Ints) -> bool:
    return list(y) == list(IntegerPartition(list(x)).conjugate)


def bulgarian_solitaire_move(x: Ints, y: Ints) -> bool:
    """Undo it: take one pile as long as the old number of parts away, and give one back to each old part."""
    if sum(y) != sum(x) or list(y) != sorted(y, reverse=True) or len(x) not in y:
        return False
    rest = Counter(y)
    rest[len(x)] -= 1
    lowered = Counter(part - 1 for part in x)
    del lowered[0]
    return +rest == lowered


def young_diagram(x: Ints, y: tuple[Ints, ...]) -> bool:
    grid = np.array(y)
    falling = (np.diff(grid, axis=1) <= 0).all()
    return grid.shape == (len(x), max(x)) and bool(falling) and grid.sum(axis=1).tolist() == list(x)


def multiplicity_partition(x: Ints, y: Ints) -> bool:
    _, counts = np.unique(np.array(x, dtype=np.int64), return_counts=True)
    return sorted(y) == sorted(counts.tolist()) and list(y) == sorted(y, reverse=True)


def squares_cut_from_rectangle(x: tuple[int, int], y: Ints) -> bool:
    """Cut one square after the other, without any division."""
    a, b = x
    for side in y:
        if side != min(a, b):
            return False
        a, b = (a - side, b) if a >= b else (a, b - side)
    return min(a, b) == 0 and sum(side * side for side in y) == x[0] * x[1]


ORACLES = {
    "conjugate_partition": conjugate_partition,
    "bulgarian_solitaire_move": bulgarian_solitaire_move,
    "young_diagram": young_diagram,
    "multiplicity_partition": multiplicity_partition,
    "squares_cut_from_rectangle": squares_cut_from_rectangle,
}
