"""Walks written as moves up, down, left and right."""

from itertools import pairwise
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import CellList, IntPair, Moves, PointList

STEPS = {"U": (0, 1), "D": (0, -1), "L": (-1, 0), "R": (1, 0)}
OPPOSITE = str.maketrans("UDLR", "DURL")
CLOCKWISE = "URDL"


@environment()
def visited_points(moves: Moves) -> PointList:
    """Start at [0, 0] and make the moves, each one unit long: U increases y, D decreases y, R increases x, L decreases
    x. List the different points of the walk, the start included, in the order of their first visits.
    """
    x = y = 0
    visited = {(0, 0): None}  # in the order of first visits
    for move in moves:
        x, y = x + STEPS[move][0], y + STEPS[move][1]
        visited[x, y] = None
    if len(visited) > 24:
        raise OutOfDomain("the walk visits more than 24 points")
    return tuple(visited)


@environment()
def position_after_growing_moves(moves: Moves) -> IntPair:
    """Start at [0, 0]. Make the first move with length 1, the second with length 2, and so on: U increases y, D
    decreases y, R increases x, L decreases x. Give the final x and then the final y.
    """
    x = sum([length * STEPS[move][0] for length, move in enumerate(moves, 1)])
    y = sum([length * STEPS[move][1] for length, move in enumerate(moves, 1)])
    return x, y


def reachable_point(rng: Random, level: int) -> tuple[int, int]:
    """A point off the axes that a written-out walk can still reach."""
    low, high = ((2, 4), (3, 6), (4, 9), (6, 12), (9, 19))[level - 1]
    return rng.randint(low, high) * rng.choice((1, -1)), rng.randint(low, high) * rng.choice((1, -1))


@environment(sample=reachable_point)
def taxi_moves_to_point(pair: IntPair) -> Moves:
    """Go from [0, 0] to the point whose x is the first and whose y is the second of the two numbers, in unit moves and
    without detours. R increases x, L decreases x, U increases y, D decreases y. First make all horizontal moves, then
    all vertical ones.
    """
    x, y = pair
    if abs(x) + abs(y) > 40:
        raise OutOfDomain("the walk has more than 40 moves")
    return ("R" if x > 0 else "L") * abs(x) + ("U" if y > 0 else "D") * abs(y)


@environment()
def way_back(moves: Moves) -> Moves:
    """Write the moves that lead from the end of the walk back to its start along the same way."""
    return moves[::-1].translate(OPPOSITE)


@environment()
def turn_moves_progressively(moves: Moves) -> Moves:
    """Turn the first of the moves clockwise by one quarter turn, the second by two quarter turns, the third by three,
    and so on. A quarter turn clockwise turns U into R, R into D, D into L and L into U.
    """
    return "".join([CLOCKWISE[(CLOCKWISE.index(move) + turns) % 4] for turns, move in enumerate(moves, 1)])


def walk_with_cancelling_pairs(rng: Random, level: int) -> str:
    """A walk with pairs of opposite moves planted in it, some inside one another."""
    length, pairs = ((5, 1), (6, 2), (8, 2), (10, 3), (14, 4))[level - 1]
    walk = ""
    while len(walk) < length:
        walk += rng.choice([move for move in "UDLR" if move != walk[-1:].translate(OPPOSITE)])
    for _ in range(pairs):
        place, move = rng.randint(0, len(walk)), rng.choice("UDLR")
        walk = walk[:place] + move + move.translate(OPPOSITE) + walk[place:]
    return walk


@environment(sample=walk_with_cancelling_pairs)
def cancel_opposite_moves(moves: Moves) -> Moves:
    """Delete two neighbouring moves that are opposite to each other, U and D or L and R in either order, and repeat
    this until no two neighbouring moves are opposite. Write the moves that remain.
    """
    kept: list[str] = []
    for move in moves:
        if kept and kept[-1] == move.translate(OPPOSITE):
            kept.pop()
        else:
            kept.append(move)
    return "".join(kept)


def cells_for_a_tour(rng: Random, level: int) -> tuple[tuple[int, int], ...]:
    """Few cells near one another, so that the tour stays short."""
    count, reach = ((3, 3), (4, 4), (5, 4), (6, 5), (7, 6))[level - 1]
    board = [(row, column) for row in range(reach + 1) for column in range(reach + 1)]
    while True:
        cells = tuple(rng.sample(board, count))
        if sum([abs(a - c) + abs(b - d) for (a, b), (c, d) in pairwise(cells)]) <= 40:
            return cells


@environment(sample=cells_for_a_tour)
def tour_of_cells(cells: CellList) -> Moves:
    """Visit the cells of the list in their order, starting in the first. Go from each cell to the next without detours,
    first vertically, then horizontally: U makes the row number smaller, D larger, L makes the column number smaller, R
    larger, each by 1. Write all moves.
    """
    moves = []
    for (row, column), (next_row, next_column) in pairwise(cells):
        moves.append(("D" if next_row > row else "U") * abs(next_row - row))
        moves.append(("R" if next_column > column else "L") * abs(next_column - column))
    tour = "".join(moves)
    if not cells or len(tour) > 40:
        raise OutOfDomain("the list is empty, or the tour has more than 40 moves")
    return tour
