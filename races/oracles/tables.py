"""Hand-worked examples and independent oracles for environments/themes/everyday/tables.py."""

from fractions import Fraction
from itertools import combinations
from statistics import mean

import networkx as nx
import numpy as np

Matrix = tuple[tuple[int, ...], ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "peak_cells": [
        ("[[5, 1, 3], [2, 4, 3], [-1, 0, -2]]", "[[0, 0], [1, 1]]"),
        ("[[-3], [-9], [-9999]]", "[[0, 0]]"),
        ("[[2, 2], [2, 2]]", "[]"),
        ("[[7]]", None),
    ],
    "matrix_row_sums": [("[[1, 2], [3, -4], [0, 0]]", "[3, -1, 0]"), ("[[5]]", "[5]")],
    "running_column_totals": [
        ("[[1, 2], [3, -4], [5, 6]]", "[[1, 2], [4, -2], [9, 4]]"),
        ("[[1, 2]]", "[[1, 2]]"),
        ("[[9000], [1000]]", None),
        ("[[-9000], [-1000], [5000]]", None),
    ],
    "above_column_average": [
        ("[[1, 5], [2, 5], [6, 5]]", "[[0, 0], [0, 0], [1, 0]]"),
        ("[[-1, 0], [-2, 3]]", "[[1, 0], [0, 1]]"),
        ("[[4, 4]]", "[[0, 0]]"),
    ],
    "league_points": [
        # 0 beats 1 by 2:1, draws 3:3 with 2; 1 loses 0:4 to 2
        ("[[9, 2, 3], [1, 9, 0], [3, 4, 9]]", "[4, 0, 4]"),
        ("[[7]]", "[0]"),
        ("[[0, -2], [-1, 0]]", "[0, 3]"),
    ],
}


def matrix_row_sums(x: Matrix, y: tuple[int, ...]) -> bool:
    return tuple(np.array(x) @ np.ones(len(x[0]), dtype=int)) == y


def running_column_totals(x: Matrix, y: Matrix) -> bool:
    """Differences of the totals give the entries back."""
    return np.array_equal(np.diff(np.array(y), axis=0, prepend=0), np.array(x))


def above_column_average(x: Matrix, y: Matrix) -> bool:
    average = [mean([Fraction(row[c]) for row in x]) for c in range(len(x[0]))]
    return y == tuple(tuple(1 if row[c] - average[c] > 0 else 0 for c in range(len(row))) for row in x)


def league_points(x: Matrix, y: tuple[int, ...]) -> bool:
    """Match by match instead of team by team."""
    points = [0] * len(x)
    for i, j in combinations(range(len(x)), 2):
        difference = x[i][j] - x[j][i]
        if difference == 0:
            points[i] += 1
            points[j] += 1
        else:
            points[i if difference > 0 else j] += 3
    return tuple(points) == y


def peak_cells(x: Matrix, y: tuple[tuple[int, int], ...]) -> bool:
    """Climbing from a cell to a neighbour that is as high or higher is impossible exactly on the peaks."""
    steps = nx.grid_2d_graph(len(x), len(x[0]))
    return list(y) == sorted(cell for cell in steps if all(x[a][b] < x[cell[0]][cell[1]] for a, b in steps[cell]))


ORACLES = {
    "peak_cells": peak_cells,
    "matrix_row_sums": matrix_row_sums,
    "running_column_totals": running_column_totals,
    "above_column_average": above_column_average,
    "league_points": league_points,
}
