"""Hand-worked examples and independent oracles for environments/themes/grids/matrices.py."""

import numpy as np
from scipy import linalg

Matrix = tuple[tuple[int, ...], ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "rotate_matrix_clockwise": [("[[1, 2, 3], [4, 5, 6]]", "[[4, 1], [5, 2], [6, 3]]"), ("[[7]]", "[[7]]")],
    "transpose_matrix": [("[[1, 2, 3], [4, 5, 6]]", "[[1, 4], [2, 5], [3, 6]]"), ("[[5, -1]]", "[[5], [-1]]")],
    "shift_rows_down": [("[[1, 2], [3, 4], [5, 6]]", "[[5, 6], [1, 2], [3, 4]]"), ("[[8, 9]]", "[[8, 9]]")],
    "reverse_every_second_row": [
        ("[[1, 2, 3], [4, 5, 6], [7, 8, 9], [0, 1, 2]]", "[[1, 2, 3], [6, 5, 4], [7, 8, 9], [2, 1, 0]]"),
        ("[[1, 2, 3]]", "[[1, 2, 3]]"),
    ],
    "matrix_spiral_order": [
        ("[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]", "[1, 2, 3, 4, 8, 12, 11, 10, 9, 5, 6, 7]"),
        ("[[1], [2], [3]]", "[1, 2, 3]"),
        (str([[0] * 7] * 6), None),
        (str([[0] * 10] * 4), str([0] * 40)),
    ],
    "circulant_matrix": [
        ("[1, 2, 3]", "[[1, 2, 3], [3, 1, 2], [2, 3, 1]]"),
        ("[4]", "[[4]]"),
        ("[]", None),
        ("[1, 10000]", None),
        (str([0] * 12), str([[0] * 12] * 12)),
    ],
    "matrix_square": [
        ("[[1, 2], [3, 4]]", "[[7, 10], [15, 22]]"),
        ("[[0, 1], [0, 0]]", "[[0, 0], [0, 0]]"),
        ("[[100]]", None),
    ],
}


def rotate_matrix_clockwise(x: Matrix, y: Matrix) -> bool:
    return np.array_equal(np.rot90(np.array(x), -1), np.array(y))


def transpose_matrix(x: Matrix, y: Matrix) -> bool:
    rows, columns = len(x), len(x[0])
    return (
        len(y) == columns
        and all([len(row) == rows for row in y])
        and all([y[c][r] == x[r][c] for r in range(rows) for c in range(columns)])
    )


def shift_rows_down(x: Matrix, y: Matrix) -> bool:
    return np.array_equal(np.roll(np.array(x), 1, axis=0), np.array(y))


def reverse_every_second_row(x: Matrix, y: Matrix) -> bool:
    expected = np.array(x)
    expected[1::2] = np.fliplr(np.array(x))[1::2]
    return np.array_equal(expected, np.array(y))


def matrix_spiral_order(x: Matrix, y: tuple[int, ...]) -> bool:
    """Walk over the cells and turn right whenever the next cell is outside or was visited."""
    row, column, down, right = 0, 0, 0, 1
    seen: dict[tuple[int, int], int] = {}
    while len(seen) < len(x) * len(x[0]):
        seen[row, column] = x[row][column]
        ahead = (row + down, column + right)
        if ahead in seen or not (0 <= ahead[0] < len(x) and 0 <= ahead[1] < len(x[0])):
            down, right = right, -down
        row, column = row + down, column + right
    return tuple(seen.values()) == y


def circulant_matrix(x: tuple[int, ...], y: Matrix) -> bool:
    return np.array_equal(linalg.circulant(np.array(x)).T, np.array(y))


def matrix_square(x: Matrix, y: Matrix) -> bool:
    return np.array_equal(np.linalg.matrix_power(np.array(x), 2), np.array(y))


ORACLES = {
    "rotate_matrix_clockwise": rotate_matrix_clockwise,
    "transpose_matrix": transpose_matrix,
    "shift_rows_down": shift_rows_down,
    "reverse_every_second_row": reverse_every_second_row,
    "matrix_spiral_order": matrix_spiral_order,
    "circulant_matrix": circulant_matrix,
    "matrix_square": matrix_square,
}
