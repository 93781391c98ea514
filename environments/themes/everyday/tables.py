"""Tables of numbers: totals, averages and results, row by row and column by column."""

from itertools import accumulate
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import BoolGrid, CellList, IntList, IntMatrix, NatList, SquareMatrix


def table_of_level(rng: Random, level: int) -> tuple[tuple[int, ...], ...]:
    """Three rows or more, so that a summary of the rows is a list worth reading; negative entries from level 3."""
    rows, columns = ((3, 2), (3, 3), (3, 4), (4, 4), (5, 5))[level - 1]
    low, high = ((0, 9), (0, 15), (-9, 20), (-20, 40), (-50, 99))[level - 1]
    while True:
        table = tuple([tuple([rng.randint(low, high) for _ in range(columns)]) for _ in range(rows)])
        if len({entry for row in table for entry in row}) >= 3:
            return table


@environment(sample=table_of_level)
def matrix_row_sums(matrix: IntMatrix) -> IntList:
    """Add up the entries of each row of the matrix. List the sums from the top row to the bottom row."""
    return tuple(map(sum, matrix))


@environment(sample=table_of_level)
def running_column_totals(matrix: IntMatrix) -> IntMatrix:
    """Replace each entry of the matrix by the sum of the original entries in its column from the top down to and
    including itself.
    """
    totals = [tuple(accumulate(column)) for column in zip(*matrix, strict=True)]
    if max([max(map(abs, column)) for column in totals]) > 9999:
        raise OutOfDomain("a total is beyond 9999")
    return tuple(zip(*totals, strict=True))


@environment(sample=table_of_level)
def above_column_average(matrix: IntMatrix) -> BoolGrid:
    """Replace each entry of the matrix by 1 if it is strictly greater than the average of all original entries in its
    column, and by 0 otherwise.
    """
    # Multiplied by the number of rows, averages stay whole numbers.
    sums = [sum(column) for column in zip(*matrix, strict=True)]
    return tuple(
        [tuple([int(entry * len(matrix) > total) for entry, total in zip(row, sums, strict=True)]) for row in matrix]
    )


def league_of_level(rng: Random, level: int) -> tuple[tuple[int, ...], ...]:
    """Scores of three to five teams, some low enough for draws; the diagonal is filled although it means nothing."""
    teams, most = ((3, 3), (4, 2), (4, 12), (5, 4), (5, 19))[level - 1]
    while True:
        matrix = tuple([tuple([rng.randint(0, most) for _ in range(teams)]) for _ in range(teams)])
        if len({entry for row in matrix for entry in row}) >= 3:
            return matrix


@environment(sample=league_of_level)
def league_points(matrix: SquareMatrix) -> NatList:
    """Every two different teams i and j met once; the entry in row i and column j of the matrix is team i's score, that
    in row j and column i team j's. The higher score earns 3 points, equal scores 1 each. List the teams' total points
    in order.
    """
    columns = zip(*matrix, strict=True)
    points = []
    for own, other in zip(matrix, columns, strict=True):
        earned = [3 * (mine > theirs) + (mine == theirs) for mine, theirs in zip(own, other, strict=True)]
        points.append(sum(earned) - 1)  # a team draws with itself
    return tuple(points)


def peaks(matrix: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, int], ...]:
    """The cells whose entry is larger than the entries next to it, in reading order."""
    outside = (-10_000,) * len(matrix[0])
    cells: list[tuple[int, int]] = []
    for r, (above, row, below) in enumerate(zip((outside, *matrix), matrix, (*matrix[1:], outside), strict=False)):
        highest = map(max, above, below, (-10_000, *row[:-1]), (*row[1:], -10_000))
        cells += [(r, c) for c, (entry, other) in enumerate(zip(row, highest, strict=True)) if entry > other]
    return tuple(cells)


def landscape_of_level(rng: Random, level: int) -> tuple[tuple[int, ...], ...]:
    """Heights with at least three peaks."""
    rows, columns, top = ((3, 4, 9), (4, 4, 9), (4, 5, 20), (5, 5, 50), (5, 6, 99))[level - 1]
    while True:
        matrix = tuple([tuple([rng.randint(0, top) for _ in range(columns)]) for _ in range(rows)])
        if len(peaks(matrix)) >= 3:
            return matrix


@environment(sample=landscape_of_level)
def peak_cells(matrix: IntMatrix) -> CellList:
    """Find the cells of the matrix whose entry is strictly larger than every entry directly above, below, left and
    right of it. List them row by row from the top and in each row from the left, for each its row and then its column,
    both counted from 0.
    """
    if len(matrix) == len(matrix[0]) == 1:
        raise OutOfDomain("a single entry has no neighbours")
    cells = peaks(matrix)
    if len(cells) > 32:
        raise OutOfDomain("the matrix has more than 32 such cells")
    return cells
