"""Hand-worked examples and independent oracles for environments/themes/grids/cells.py."""

import json
from itertools import groupby
from string import ascii_lowercase

import numpy as np
from scipy.stats import rankdata

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "free_seats_for_two": [
        ("[[0, 0, 0, 1], [1, 0, 1, 0], [1, 1, 0, 0]]", "[[0, 0], [0, 1], [2, 2]]"),
        ("[[0], [0]]", "[]"),
        ("[[1, 1]]", "[]"),
        (str([[0] * 8] * 7), None),
        (str([[0] * 9] * 4), str([[r, c] for r in range(4) for c in range(8)])),
    ],
    "cells_before_both_rooks": [
        ("[1, 3, 0, 2]", "[[0, 0], [1, 0], [1, 2]]"),
        ("[2, 1, 0]", "[[0, 0], [0, 1], [1, 0]]"),
        ("[0, 1, 2]", "[]"),
        (str(list(range(10, -1, -1))), None),
        (
            "[8, 7, 6, 5, 3, 2, 1, 0, 4]",
            str([[r, c] for r, count in enumerate((8, 7, 6, 5, 3, 2, 1)) for c in range(count)]),
        ),
    ],
    "points_as_cells": [
        ("[[4, 0], [-9, 3], [4, 3], [0, -2]]", "[[1, 2], [0, 0], [0, 2], [2, 1]]"),
        ("[[7, -7]]", "[[0, 0]]"),
        ("[]", "[]"),
        (str([[i, 0] for i in range(17)]), None),
    ],
    "cells_after_quarter_turn": [
        ("[[0, 1], [2, 0], [1, 3]]", "[[1, 3], [0, 1], [3, 2]]"),
        ("[[0, 0]]", "[[0, 0]]"),
        ("[[2, 2], [0, 1]]", "[[2, 0], [1, 2]]"),
        ("[]", "[]"),
    ],
    "cells_pushed_left": [
        ("[[2, 5], [0, 3], [2, 1], [2, 4]]", "[[2, 2], [0, 0], [2, 0], [2, 1]]"),
        ("[[1, 0], [0, 0]]", "[[1, 0], [0, 0]]"),
        ("[]", "[]"),
    ],
    "lettered_cells": [
        ("[[2, 1], [0, 3], [1, 0]]", '["...b", "c...", ".a.."]'),
        ("[[0, 0]]", '["a"]'),
        ("[[0, 2]]", '["..a"]'),
        ("[]", None),
        ("[[12, 0]]", None),
        (str([[i // 9, i % 9] for i in range(27)]), None),
        ("[[11, 0]]", json.dumps(["."] * 11 + ["a"])),
    ],
}
Cells = tuple[tuple[int, int], ...]
Rows = tuple[str, ...]


def free_seats_for_two(x: tuple[tuple[int, ...], ...], y: Cells) -> bool:
    grid = np.array(x)
    return [list(cell) for cell in y] == np.argwhere(grid[:, :-1] + grid[:, 1:] == 0).tolist()


def cells_before_both_rooks(x: tuple[int, ...], y: Cells) -> bool:
    """Running sums from the right and from below tell where a rook still comes; none may stand in the cell itself."""
    board = np.eye(len(x), dtype=int)[list(x)]
    right = board[:, ::-1].cumsum(axis=1)[:, ::-1] - board
    down = board[::-1].cumsum(axis=0)[::-1] - board
    return [list(cell) for cell in y] == np.argwhere(right * down > 0).tolist()


def points_as_cells(x: Cells, y: Cells) -> bool:
    if not x:
        return y == ()
    rows = rankdata([-b for _, b in x], method="dense") - 1
    columns = rankdata([a for a, _ in x], method="dense") - 1
    return [list(cell) for cell in y] == np.column_stack([rows, columns]).astype(int).tolist()


def cells_after_quarter_turn(x: Cells, y: Cells) -> bool:
    """Number the cells on a board and turn the board."""
    if not x:
        return y == ()
    side = max(max(cell) for cell in x) + 1
    board = np.zeros((side, side), dtype=int)
    for number, cell in enumerate(x, 1):
        board[cell] = number
    turned = np.rot90(board, -1)
    return list(y) == [tuple(np.argwhere(turned == number)[0].tolist()) for number in range(1, len(x) + 1)]


def cells_pushed_left(x: Cells, y: Cells) -> bool:
    """Within each row, the cells keep their order and fill the first columns."""
    pushed = {}
    for row, line in groupby(sorted(x), key=lambda cell: cell[0]):
        pushed |= {cell: (row, place) for place, cell in enumerate(line)}
    return list(y) == [pushed[cell] for cell in x]


def lettered_cells(x: Cells, y: Rows) -> bool:
    """Read the letters back; the last row and the last column are needed."""
    found = {letter: (r, c) for r, row in enumerate(y) for c, letter in enumerate(row) if letter != "."}
    read = [found[letter] for letter in sorted(found)]
    needed = set(y[-1]) != {"."} and any(row[-1] != "." for row in y)
    dots = sum(row.count(".") for row in y)
    return (
        read == list(x)
        and "".join(sorted(found)) == ascii_lowercase[: len(x)]
        and needed
        and (dots == len(y) * len(y[0]) - len(x))
    )


ORACLES = {
    "free_seats_for_two": free_seats_for_two,
    "cells_before_both_rooks": cells_before_both_rooks,
    "points_as_cells": points_as_cells,
    "cells_after_quarter_turn": cells_after_quarter_turn,
    "cells_pushed_left": cells_pushed_left,
    "lettered_cells": lettered_cells,
}
