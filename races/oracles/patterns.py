"""Hand-worked examples and independent oracles for environments/themes/words/patterns.py."""

from itertools import groupby

import numpy as np

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "letters_in_rows_of_four": [
        ('"lighthouse"', '["ligh", "uoht", "se.."]'),
        ('"calendar"', '["cale", "radn"]'),
        ('"a"', '["a..."]'),
        ('"lemon"', '["lemo", "...n"]'),
    ],
    "rows_shifted_progressively": [
        ('["ab.", "cd#", "xyz"]', '["ab.", "#cd", "yzx"]'),
        ('["ab", "cd", "ef", "gh"]', '["ab", "dc", "ef", "hg"]'),
        ('["a"]', '["a"]'),
    ],
    "letters_spread_into_dots": [
        ('["a..", ".b.", "#.c"]', '["aa.", "abb", "#bc"]'),
        ('["...", "x#.", "..."]', '["...", "x#.", "x.."]'),
        ('["."]', '["."]'),
        ('["b", "."]', '["b", "b"]'),
    ],
    "letter_runs_across": [
        ('["ab.c", "#def", "...."]', '["ab", "c", "def"]'),
        ('["ab", "cd"]', '["ab", "cd"]'),
        ('["..#"]', "[]"),
        (str(["a.a.a"] * 9).replace("'", '"'), None),
    ],
}
Rows = tuple[str, ...]


def cells(grid: Rows) -> np.ndarray:
    return np.array([list(row) for row in grid])


def letters_in_rows_of_four(x: str, y: Rows) -> bool:
    """Walk along the rows like an ox that ploughs."""
    grid = cells(y)
    grid[1::2] = grid[1::2, ::-1]
    return grid.shape[1] == 4 and 4 * len(y) - 3 <= len(x) and "".join(grid.ravel()) == x.ljust(4 * len(y), ".")


def rows_shifted_progressively(x: Rows, y: Rows) -> bool:
    return np.array_equal(np.array([np.roll(row, shift) for shift, row in enumerate(cells(x))]), cells(y))


def letters_spread_into_dots(x: Rows, y: Rows) -> bool:
    """Lay the shifted grids over each other: first what comes from above, then what comes from the left."""
    old = cells(x)
    new = old.copy()
    for axis in (0, 1):
        source = np.roll(old, 1, axis=axis)
        source[(0, slice(None)) if axis == 0 else (slice(None), 0)] = "#"
        new = np.where((old == ".") & np.char.isalpha(source), source, new)
    return np.array_equal(new, cells(y))


def letter_runs_across(x: Rows, y: tuple[str, ...]) -> bool:
    runs = ["".join(run) for row in x for letters, run in groupby(row, key=str.isalpha) if letters]
    return list(y) == runs


ORACLES = {
    "letters_in_rows_of_four": letters_in_rows_of_four,
    "rows_shifted_progressively": rows_shifted_progressively,
    "letters_spread_into_dots": letters_spread_into_dots,
    "letter_runs_across": letter_runs_across,
}
