"""Turning, shifting, reading and multiplying matrices."""

from operator import mul
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import IntList, IntMatrix, SquareMatrix


def matrix_of_level(rng: Random, level: int) -> tuple[tuple[int, ...], ...]:
    """Two rows of three up to four rows of five, or the other way round: each level has a shape of its own."""
    rows, columns = rng.sample(((2, 3), (3, 3), (3, 4), (4, 4), (4, 5))[level - 1], 2)
    low, high = ((0, 9), (0, 9), (-9, 9), (-12, 20), (-50, 50))[level - 1]
    while True:
        # Different entries within a row, so that no row reads the same backwards.
        matrix = tuple([tuple(rng.sample(range(low, high + 1), columns)) for _ in range(rows)])
        if len({entry for row in matrix for entry in row}) >= 3:
            return matrix


@environment(sample=matrix_of_level)
def rotate_matrix_clockwise(matrix: IntMatrix) -> IntMatrix:
    """Rotate the matrix by a quarter turn clockwise, so that its top row becomes its last column."""
    return tuple(zip(*reversed(matrix), strict=True))


@environment(sample=matrix_of_level)
def transpose_matrix(matrix: IntMatrix) -> IntMatrix:
    """Transpose the matrix: its rows from top to bottom become its columns from left to right."""
    return tuple(zip(*matrix, strict=True))


@environment(sample=matrix_of_level)
def shift_rows_down(matrix: IntMatrix) -> IntMatrix:
    """Move every row of the matrix down by one place; the bottom row comes to the top."""
    return (matrix[-1], *matrix[:-1])


@environment(sample=matrix_of_level)
def reverse_every_second_row(matrix: IntMatrix) -> IntMatrix:
    """Reverse the order of the entries in the second, the fourth, the sixth row of the matrix and so on, counted from
    the top. Leave all other rows as they are.
    """
    return tuple([row[::-1] if i % 2 else row for i, row in enumerate(matrix)])


def matrix_to_unroll(rng: Random, level: int) -> tuple[tuple[int, ...], ...]:
    """Six to sixteen entries: longer lists are no fun."""
    rows, columns = rng.sample(((2, 3), (2, 4), (3, 3), (3, 4), (4, 4))[level - 1], 2)
    low, high = ((0, 9), (0, 9), (-9, 9), (-12, 20), (-50, 50))[level - 1]
    return tuple([tuple(rng.sample(range(low, high + 1), columns)) for _ in range(rows)])


@environment(sample=matrix_to_unroll)
def matrix_spiral_order(matrix: IntMatrix) -> IntList:
    """List the entries of the matrix in clockwise spiral order: along the top row to the right, down the last column,
    along the bottom row to the left, up the first column, and so on inwards until every entry is listed once.
    """
    if len(matrix) * len(matrix[0]) > 40:
        raise OutOfDomain("the matrix has more than 40 entries")
    entries: list[int] = []
    rest = matrix
    while rest:
        entries += rest[0]
        # A quarter turn counterclockwise brings the next side of what is left to the top.
        rest = tuple(zip(*rest[1:], strict=True))[::-1]
    return tuple(entries)


def list_for_a_matrix(rng: Random, level: int) -> tuple[int, ...]:
    """As many entries as a matrix has columns that one still likes to write down."""
    low, high = ((0, 9), (-9, 9), (-9, 9), (-20, 20), (-99, 99))[level - 1]
    return tuple(rng.sample(range(low, high + 1), (3, 3, 4, 4, 5)[level - 1]))


@environment(sample=list_for_a_matrix)
def circulant_matrix(values: IntList) -> SquareMatrix:
    """Build the square matrix whose top row is the list and whose every further row is the row above it moved one place
    to the right, the last entry of that row coming to the front.
    """
    if not 1 <= len(values) <= 12:
        raise OutOfDomain("the list is empty or has more than 12 entries")
    if max(map(abs, values)) > 9999:
        raise OutOfDomain("an entry is beyond 9999")
    size = len(values)
    return tuple([values[size - i :] + values[: size - i] for i in range(size)])


def small_square(rng: Random, level: int) -> tuple[tuple[int, ...], ...]:
    """Small entries, because a product has size^3 multiplications."""
    size, low, high = ((2, 0, 6), (2, -9, 12), (3, 0, 4), (3, -3, 5), (3, -9, 9))[level - 1]
    while True:
        matrix = tuple([tuple([rng.randint(low, high) for _ in range(size)]) for _ in range(size)])
        if len({entry for row in matrix for entry in row}) >= 3:
            return matrix


@environment(sample=small_square, grade="course")
def matrix_square(matrix: SquareMatrix) -> SquareMatrix:
    """Multiply the matrix by itself, as matrices are multiplied (rows times columns)."""
    columns = tuple(zip(*matrix, strict=True))
    product = tuple([tuple([sum(map(mul, row, column)) for column in columns]) for row in matrix])
    if max([abs(entry) for row in product for entry in row]) > 9999:
        raise OutOfDomain("an entry of the product is beyond 9999")
    return product
