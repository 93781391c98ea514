"""Cells of boards: found in seating plans, in permutations and among points, moved on the board, and drawn."""

from bisect import bisect_left
from itertools import pairwise
from random import Random
from string import ascii_lowercase

from races.environments import OutOfDomain, environment
from races.environments.types import BoolGrid, CellList, CharGrid, Permutation, PointList

MOST = 32  # cells that a list has at most
SIDE = 16  # rows and columns that cells lie in
Cells = tuple[tuple[int, int], ...]


def seating_plan(rng: Random, level: int) -> tuple[tuple[int, ...], ...]:
    """More free than taken seats, so that some free ones are neighbours."""
    rows, columns = ((3, 4), (3, 5), (4, 5), (5, 5), (5, 7))[level - 1]
    taken = rng.sample(range(rows * columns), rows * columns * 2 // 5)
    return tuple([tuple([int(r * columns + c in taken) for c in range(columns)]) for r in range(rows)])


@environment(sample=seating_plan)
def free_seats_for_two(grid: BoolGrid) -> CellList:
    """The grid is a seating plan: 1 for a taken seat, 0 for a free one. List the free seats whose right neighbour in
    the row is free, too, row by row from the top, in each row from the left, each as its row and column, counted from
    0.
    """
    seats: list[tuple[int, int]] = []
    for number, row in enumerate(grid):
        seats += [(number, place) for place, pair in enumerate(pairwise(row)) if pair == (0, 0)]
    if len(seats) > MOST:
        raise OutOfDomain(f"a list has at most {MOST} cells, there are {len(seats)} such seats")
    return tuple(seats)


def permutation_to_draw(rng: Random, level: int) -> tuple[int, ...]:
    """From four entries to eight, because the board has as many rows and columns."""
    n = (4, 5, 6, 7, 8)[level - 1]
    return tuple(rng.sample(range(n), n))


@environment(sample=permutation_to_draw)
def cells_before_both_rooks(permutation: Permutation) -> CellList:
    """On a square board put a rook into row i and column j wherever the permutation has entry j at position i, counted
    from 0. List the cells with a rook farther right in their row and a rook farther down in their column, row by row,
    left to right.
    """
    cells: list[tuple[int, int]] = []
    for row, rook in enumerate(permutation):
        later = permutation[row + 1 :]
        cells += [(row, column) for column in range(rook) if column in later]
    if len(cells) > MOST:
        raise OutOfDomain(f"a list has at most {MOST} cells, there are {len(cells)} such cells")
    return tuple(cells)


def points_in_few_lines(rng: Random, level: int) -> Cells:
    """Points of which some have an equal x or an equal y, although they reach far."""
    count, lines, reach = ((4, 3, 5), (5, 4, 8), (6, 4, 12), (8, 5, 25), (10, 6, 50))[level - 1]
    xs, ys = (rng.sample(range(-reach, reach + 1), lines) for _ in "xy")
    return tuple(rng.sample([(x, y) for x in xs for y in ys], count))


@environment(sample=points_in_few_lines)
def points_as_cells(points: PointList) -> CellList:
    """Number the different y of the points 0, 1, 2, ... from largest to smallest, and the different x 0, 1, 2, ... from
    smallest to largest. Replace each point of the list by the number of its y, as row, and the number of its x, as
    column.
    """
    rows = sorted({-y for _, y in points})
    columns = sorted({x for x, _ in points})
    if max(len(rows), len(columns)) > SIDE:
        raise OutOfDomain(f"there are more than {SIDE} different x or different y")
    return tuple([(rows.index(-y), columns.index(x)) for x, y in points])


@environment()
def cells_after_quarter_turn(cells: CellList) -> CellList:
    """Take the smallest square board that begins with row 0 and column 0 and contains all cells of the list. Turn it by
    a quarter turn clockwise and replace each cell by the one to which it is moved.
    """
    last = max([max(cell) for cell in cells], default=0)
    return tuple([(column, last - row) for row, column in cells])


@environment()
def cells_pushed_left(cells: CellList) -> CellList:
    """Let the cells of the list slide to the left within their rows until each one is stopped by the edge of the board,
    which is column 0, or by another cell of the list. Replace each cell by its new place; keep the order of the list.
    """
    ordered = sorted(cells)
    return tuple([(cell[0], bisect_left(ordered, cell) - bisect_left(ordered, (cell[0], 0))) for cell in cells])


@environment()
def lettered_cells(cells: CellList) -> CharGrid:
    """Draw the smallest grid that starts with row 0 and column 0 and contains all cells of the list. Write the letter a
    into the first cell of the list, b into the second, and so on, and dots into all cells that are not in the list.
    """
    if not 1 <= len(cells) <= 26 or max(cells)[0] > 11:
        raise OutOfDomain("the list is empty, has more than 26 cells, or needs more than 12 rows")
    height, width = [max(places) + 1 for places in zip(*cells, strict=True)]
    grid = [["."] * width for _ in range(height)]
    for (row, column), letter in zip(cells, ascii_lowercase, strict=False):
        grid[row][column] = letter
    return tuple(map("".join, grid))
