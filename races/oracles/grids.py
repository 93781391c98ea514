"""Hand-worked examples and independent oracles for environments/themes/grids/grids.py."""

from collections import Counter

import numpy as np
from scipy import ndimage

Bits = tuple[tuple[int, ...], ...]
Rows = tuple[str, ...]
Cells = tuple[tuple[int, int], ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "ones_in_each_row": [("[[1, 0, 1], [0, 0, 0], [1, 1, 1]]", "[2, 0, 3]"), ("[[0]]", "[0]")],
    "cells_with_one": [
        ("[[0, 1, 1], [0, 0, 0], [1, 0, 1]]", "[[0, 1], [0, 2], [2, 0], [2, 2]]"),
        ("[[0, 0]]", "[]"),
        (str([[1] * 7] * 7), None),
    ],
    "drawn_cells": [
        ("[[2, 1], [0, 3], [1, 0]]", "[[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]"),
        ("[[0, 0]]", "[[1]]"),
        ("[]", None),
        ("[[12, 0]]", None),
        ("[[0, 12]]", None),
        ("[[0, 11]]", "[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]]"),
    ],
    "grid_character_counts": [('["a.#", "..b"]', '{"#": 1, ".": 3, "a": 1, "b": 1}'), ('["x"]', '{"x": 1}')],
    "outlined_drawing": [
        ("[[1, 0, 0], [0, 0, 0], [0, 0, 1]]", '["#o.", "o.o", ".o#"]'),
        ("[[1, 1], [0, 0], [0, 0]]", '["##", "oo", ".."]'),
        ("[[0, 0]]", '[".."]'),
    ],
    "cells_with_equal_neighbour": [
        ('["aab", ".ab", "a.#"]', "[[1, 1, 1], [0, 1, 1], [0, 0, 0]]"),
        ('["a"]', "[[0]]"),
        ('[".............", "............."]', None),
        ('["ax"]', "[[0, 0]]"),
    ],
    "folded_grid": [
        ("[[1, 0, 0, 1, 0], [0, 0, 0, 0, 1]]", "[[1, 1, 0], [1, 0, 0]]"),
        ("[[0, 1, 0, 0], [0, 0, 0, 0]]", "[[0, 1], [0, 0]]"),
        ("[[1], [0]]", "[[1], [0]]"),
    ],
    "flood_fill_top_left": [
        ('["aaba", "baba", "aaab"]', '["xxba", "bxba", "xxxb"]'),
        ('["x."]', '["x."]'),
        ('[".#", "#."]', '["x#", "#."]'),
    ],
    "turn_grid_left": [('["ab.", "cd#"]', '[".#", "bd", "ac"]'), ('["a"]', '["a"]'), ('["............."]', None)],
    "letters_fall": [
        ('["ab.", ".#c", "..."]', '[".b.", ".#.", "a.c"]'),
        ('["ba", "..", "a#", ".."]', '["..", ".a", "b#", "a."]'),
        ('["#."]', '["#."]'),
    ],
}


def ones_in_each_row(x: Bits, y: tuple[int, ...]) -> bool:
    return y == tuple("".join(map(str, row)).count("1") for row in x)


def cells_with_one(x: Bits, y: Cells) -> bool:
    return [list(cell) for cell in y] == np.argwhere(np.array(x)).tolist()


def drawn_cells(x: Cells, y: Bits) -> bool:
    """The ones are the cells, and neither the last row nor the last column is without one."""
    grid = np.array(y)
    return {tuple(cell) for cell in np.argwhere(grid).tolist()} == set(x) and grid[-1].any() and grid[:, -1].any()


def grid_character_counts(x: Rows, y: tuple[tuple[str, int], ...]) -> bool:
    return Counter(dict(y)) == Counter(character for row in x for character in row)


def outlined_drawing(x: Bits, y: Rows) -> bool:
    ones = np.array(x, dtype=bool)
    grown = ndimage.binary_dilation(ones)
    return np.array_equal(np.where(ones, "#", np.where(grown, "o", ".")), np.array([list(row) for row in y]))


def cells_with_equal_neighbour(x: Rows, y: Bits) -> bool:
    """Compare all vertical and all horizontal pairs of neighbours at once, and mark both ends of the equal ones."""
    cells = np.array([list(row) for row in x])
    marked = np.zeros(cells.shape, dtype=int)
    vertical, horizontal = cells[1:] == cells[:-1], cells[:, 1:] == cells[:, :-1]
    marked[1:] |= vertical
    marked[:-1] |= vertical
    marked[:, 1:] |= horizontal
    marked[:, :-1] |= horizontal
    return np.array_equal(marked, np.array(y))


def folded_grid(x: Bits, y: Bits) -> bool:
    """Unfolded again, the result is the union of the grid and its mirror image."""
    grid = np.array(x)
    width = grid.shape[1]
    unfolded = np.hstack([np.array(y), np.fliplr(np.array(y))[:, width % 2 :]])
    return np.array_equal(unfolded, grid | np.fliplr(grid))


def flood_fill_top_left(x: Rows, y: Rows) -> bool:
    cells = np.array([list(row) for row in x])
    labels, _ = ndimage.label(cells == cells[0, 0])
    return np.array_equal(np.where(labels == labels[0, 0], "x", cells), np.array([list(row) for row in y]))


def turn_grid_left(x: Rows, y: Rows) -> bool:
    return np.array_equal(np.rot90(np.array([list(row) for row in x])), np.array([list(row) for row in y]))


def letters_fall(x: Rows, y: Rows) -> bool:
    """Swap a letter with a dot right below it for as long as there is one."""
    cells = [list(row) for row in x]
    places = [(r, c) for r in range(len(x) - 1) for c in range(len(x[0]))]
    while hanging := [(r, c) for r, c in places if cells[r][c].isalpha() and cells[r + 1][c] == "."]:
        r, c = hanging[0]
        cells[r][c], cells[r + 1][c] = ".", cells[r][c]
    return tuple("".join(row) for row in cells) == y


ORACLES = {
    "ones_in_each_row": ones_in_each_row,
    "cells_with_one": cells_with_one,
    "drawn_cells": drawn_cells,
    "grid_character_counts": grid_character_counts,
    "outlined_drawing": outlined_drawing,
    "cells_with_equal_neighbour": cells_with_equal_neighbour,
    "folded_grid": folded_grid,
    "flood_fill_top_left": flood_fill_top_left,
    "turn_grid_left": turn_grid_left,
    "letters_fall": letters_fall,
}
