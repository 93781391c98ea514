"""Hand-worked examples and independent oracles for environments/themes/numbers/sequences.py."""

import numpy as np

Ints = tuple[int, ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "running_totals": [
        ("[3, -1, 4, 0]", "[3, 2, 6, 6]"),
        ("[]", "[]"),
        ("[999999, 1, 1]", None),
    ],
    "neighbour_differences": [
        ("[4, 9, 9, 2]", "[5, 0, -7]"),
        ("[5]", "[]"),
        ("[]", "[]"),
        ("[-1000000, 1]", None),
    ],
    "entries_above_a_neighbour": [
        ("[3, 8, 2, 5, 5, 1, 6]", "[8, 5, 5, 6]"),
        ("[9, 4, 4, -7]", "[9, 4]"),
        ("[2, 2]", "[]"),
        ("[-7]", "[]"),
        ("[]", "[]"),
    ],
    "farthest_neighbours": [
        ("[4, 9, 1, 9, 3]", "[9, 1]"),
        ("[5, 5]", "[5, 5]"),
        ("[-6, 2, 0]", "[-6, 2]"),
        ("[8]", None),
        ("[]", None),
    ],
    "neighbour_sum_digits": [("[7, 5, 0, 9, 9]", "[2, 5, 9, 8]"), ("[3]", "[]"), ("[]", "[]")],
    "pass_half_on": [
        ("[5, 8, 0, 3]", "[4, 6, 4, 2]"),
        ("[7]", "[7]"),
        ("[1, 0, 1]", "[1, 0, 1]"),
        ("[]", "[]"),
    ],
}


def running_totals(x: Ints, y: Ints) -> bool:
    return list(y) == [sum(x[: i + 1]) for i in range(len(x))]


def neighbour_differences(x: Ints, y: Ints) -> bool:
    return list(y) == np.diff(np.array(x, dtype=np.int64)).tolist()


def entries_above_a_neighbour(x: Ints, y: Ints) -> bool:
    """A rise lifts its right end above a neighbour, a fall its left end."""
    rises = np.diff(np.array(x, dtype=np.int64))
    kept = sorted({*(np.flatnonzero(rises > 0) + 1).tolist(), *np.flatnonzero(rises < 0).tolist()})
    return list(y) == [x[at] for at in kept]


def farthest_neighbours(x: Ints, y: tuple[int, int]) -> bool:
    at = int(np.argmax(np.abs(np.diff(np.array(x, dtype=np.int64)))))  # argmax gives the first of equals
    return y == x[at : at + 2]


def neighbour_sum_digits(x: Ints, y: Ints) -> bool:
    if len(x) < 2:
        return y == ()
    return list(y) == [int(str(total)[-1]) for total in np.convolve(x, [1, 1], mode="valid")]


def pass_half_on(x: Ints, y: Ints) -> bool:
    beads = np.array(x, dtype=np.int64)
    return list(y) == (beads - beads // 2 + np.roll(beads // 2, 1)).tolist()


ORACLES = {
    "running_totals": running_totals,
    "neighbour_differences": neighbour_differences,
    "entries_above_a_neighbour": entries_above_a_neighbour,
    "farthest_neighbours": farthest_neighbours,
    "neighbour_sum_digits": neighbour_sum_digits,
    "pass_half_on": pass_half_on,
}
