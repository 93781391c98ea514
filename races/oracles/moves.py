"""Hand-worked examples and independent oracles for environments/themes/grids/moves.py."""

import re
from functools import reduce
from itertools import accumulate, pairwise

import numpy as np

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "visited_points": [
        ('"URDLL"', "[[0, 0], [0, 1], [1, 1], [1, 0], [-1, 0]]"),
        ('""', "[[0, 0]]"),
        ('"UUUUUUUUUUUUUUUUUUUUUUUU"', None),
    ],
    "position_after_growing_moves": [('"URDDL"', "[-3, -6]"), ('""', "[0, 0]")],
    "taxi_moves_to_point": [
        ("[-2, 3]", '"LLUUU"'),
        ("[0, -1]", '"D"'),
        ("[0, 0]", '""'),
        ("[20, -21]", None),
        ("[1, 1]", '"RU"'),
        ("[20, -20]", '"' + "R" * 20 + "D" * 20 + '"'),
    ],
    "tour_of_cells": [
        ("[[2, 1], [0, 3], [0, 0], [1, 1]]", '"UURRLLLDR"'),
        ("[[4, 4]]", '""'),
        ("[]", None),
        ("[[0, 0], [15, 15], [0, 4]]", None),
        ("[[0, 0], [15, 15], [5, 15]]", '"' + "D" * 15 + "R" * 15 + "U" * 10 + '"'),
    ],
    "way_back": [('"UURDL"', '"RULDD"'), ('""', '""'), ('"UD"', '"UD"')],
    "turn_moves_progressively": [('"UUUURDL"', '"RDLUDUD"'), ('"D"', '"L"'), ('""', '""')],
    "cancel_opposite_moves": [('"ULRDRRL"', '"R"'), ('"UDDU"', '""'), ('"URDL"', '"URDL"')],
}

DIRECTIONS = {"U": 1j, "D": -1j, "L": -1 + 0j, "R": 1 + 0j}


def walk(moves: str, start: complex = 0j) -> list[complex]:
    return list(accumulate([DIRECTIONS[move] for move in moves], initial=start))


def visited_points(x: str, y: tuple[tuple[int, int], ...]) -> bool:
    return list(dict.fromkeys(walk(x))) == [complex(*point) for point in y]


def position_after_growing_moves(x: str, y: tuple[int, int]) -> bool:
    """Write a move of length k as k moves."""
    return walk("".join(move * length for length, move in enumerate(x, 1)))[-1] == complex(*y)


def taxi_moves_to_point(x: tuple[int, int], y: str) -> bool:
    """It arrives, is shortest, and has no horizontal move after a vertical one."""
    return walk(y)[-1] == complex(*x) and len(y) == abs(x[0]) + abs(x[1]) and bool(re.fullmatch("[LR]*[UD]*", y))


def tour_of_cells(x: tuple[tuple[int, int], ...], y: str) -> bool:
    """Legs of the right lengths that end in the right cells, a row number being -y, and turn at most once."""
    done, there = 0, [complex(column, -row) for row, column in x]
    for start, end in pairwise(there):
        length = int(abs((end - start).real) + abs((end - start).imag))
        leg, done = y[done : done + length], done + length
        if not re.fullmatch("[UD]*[LR]*", leg) or walk(leg, start)[-1] != end:
            return False
    return done == len(y)


def way_back(x: str, y: str) -> bool:
    """The points visited are the same in reverse."""
    there = walk(x)
    return walk(y, there[-1]) == there[::-1]


def turn_moves_progressively(x: str, y: str) -> bool:
    """A quarter turn clockwise divides a direction by i."""
    turned = [DIRECTIONS[move] / 1j**turns for turns, move in enumerate(x, 1)]
    return len(x) == len(y) and all([DIRECTIONS[move] == turn for move, turn in zip(y, turned, strict=True)])


def cancel_opposite_moves(x: str, y: str) -> bool:
    """Moves generate a free group, which these matrices represent faithfully; each element has one reduced word."""
    up, right = ((1, 2), (0, 1)), ((1, 0), (2, 1))
    down, left = ((1, -2), (0, 1)), ((1, 0), (-2, 1))
    matrices = {m: np.array(a, dtype=object) for m, a in zip("URDL", (up, right, down, left), strict=True)}

    def element(moves: str) -> list[list[int]]:
        return reduce(np.matmul, [matrices[move] for move in moves], np.array([[1, 0], [0, 1]], dtype=object)).tolist()

    return element(x) == element(y) and not re.search("UD|DU|LR|RL", y)


ORACLES = {
    "visited_points": visited_points,
    "position_after_growing_moves": position_after_growing_moves,
    "taxi_moves_to_point": taxi_moves_to_point,
    "tour_of_cells": tour_of_cells,
    "way_back": way_back,
    "turn_moves_progressively": turn_moves_progressively,
    "cancel_opposite_moves": cancel_opposite_moves,
}
