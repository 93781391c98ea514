"""Hand-worked examples and independent oracles for environments/themes/grids/cellular_automata.py."""

import numpy as np
from scipy import ndimage

Bits = tuple[tuple[int, ...], ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "game_of_life_step": [
        ("[[0, 1, 0], [0, 1, 0], [0, 1, 0]]", "[[0, 0, 0], [1, 1, 1], [0, 0, 0]]"),
        ("[[1, 1], [1, 0]]", "[[1, 1], [1, 1]]"),
        ("[[1]]", "[[0]]"),
    ],
    "changes_from_row_above": [
        ("[[1, 0, 1], [1, 1, 0], [1, 1, 0]]", "[[1, 0, 1], [0, 1, 1], [0, 0, 0]]"),
        ("[[1, 0]]", "[[1, 0]]"),
    ],
    "traffic_step": [('"1100101"', '"1010011"'), ('"1"', '"1"'), ('"01"', '"10"'), ('"0000"', '"0000"')],
    "rule_90_rows": [
        ('"01001"', "[[0, 1, 0, 0, 1], [1, 0, 1, 1, 0], [0, 0, 1, 1, 1], [0, 1, 1, 0, 1]]"),
        ('"1"', "[[1], [0], [0], [0]]"),
        ('"0101010101010"', None),
        ('"000000000000"', str([[0] * 12] * 4)),
    ],
}


def game_of_life_step(x: Bits, y: Bits) -> bool:
    grid = np.array(x)
    around = ndimage.convolve(grid, np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]]), mode="constant", cval=0)
    return np.array_equal(((around == 3) | ((grid == 1) & (around == 2))).astype(int), np.array(y))


def changes_from_row_above(x: Bits, y: Bits) -> bool:
    """Running sums modulo two, down every column, give the grid back."""
    return np.array_equal(np.cumsum(np.array(y), axis=0) % 2, np.array(x))


def traffic_step(x: str, y: str) -> bool:
    """Traffic is rule 184: the bits left, here and right look up a binary digit of that number."""
    here = np.array(list(x), dtype=int)
    places = 4 * np.roll(here, 1) + 2 * here + np.roll(here, -1)
    return "".join(str(184 >> place & 1) for place in places.tolist()) == y


def rule_90_rows(x: str, y: Bits) -> bool:
    """A row as a number: shifted to both sides, added without carry, cut to its width."""
    rows = [int(x, 2)]
    for _ in range(3):
        rows.append((rows[-1] << 1 ^ rows[-1] >> 1) & (2 ** len(x) - 1))
    return [format(row, f"0{len(x)}b") for row in rows] == ["".join(map(str, row)) for row in y]


ORACLES = {
    "game_of_life_step": game_of_life_step,
    "changes_from_row_above": changes_from_row_above,
    "traffic_step": traffic_step,
    "rule_90_rows": rule_90_rows,
}
