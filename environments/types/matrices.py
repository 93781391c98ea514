"""Rectangles of numbers, bits and characters."""

import re
from random import Random
from typing import Annotated

from races.environments.types.base import Type, are_ints
from races.environments.types.collections import Ints, Ragged

Matrix = tuple[Ints, ...]
Rows = tuple[str, ...]


class MatrixType(Type[Matrix]):
    """Rectangular matrices of integers from low to high, given by their rows."""

    low: int
    high: int
    most: int  # rows and columns

    def belongs(self, value: object) -> bool:
        if type(value) is not tuple or not 1 <= len(value) <= self.most:
            return False
        if not all([are_ints(row, self.low, self.high) for row in value]):
            return False
        return 1 <= len(value[0]) <= self.most and all([len(row) == len(value[0]) for row in value])

    def sample(self, rng: Random, level: int) -> Matrix:
        while True:
            rows, columns = self._shape(rng, level)
            top = (9, 9, 12, 20, 50)[level - 1]
            low = -top if level >= 3 else 0
            value = tuple([tuple([rng.randint(low, top) for _ in range(columns)]) for _ in range(rows)])
            if self.healthy(value):
                return value

    def _shape(self, rng: Random, level: int) -> tuple[int, int]:
        size = (2, 3, 3, 4, 5)[level - 1]
        return size, size + rng.randint(0, 1)

    def healthy(self, value: Matrix) -> bool:
        return 2 <= len(value) <= 6 and 2 <= len(value[0]) <= 6 and len({x for row in value for x in row}) >= 3


class SquareType(MatrixType):
    """Square matrices of integers."""

    def belongs(self, value: object) -> bool:
        return super().belongs(value) and len(value) == len(value[0])  # type: ignore[arg-type,index]  # a matrix by now

    def _shape(self, rng: Random, level: int) -> tuple[int, int]:
        size = (2, 3, 3, 4, 4)[level - 1]
        return size, size

    def healthy(self, value: Matrix) -> bool:
        return 2 <= len(value) <= 5 and len({x for row in value for x in row}) >= 3


class BoolGridType(MatrixType):
    """Rectangles of 0s and 1s."""

    def sample(self, rng: Random, level: int) -> Matrix:
        while True:
            rows = (3, 4, 5, 6, 7)[level - 1]
            columns = rows + rng.randint(-1, 1)
            share = rng.choice((0.3, 0.4, 0.5, 0.6))
            value = tuple([tuple([int(rng.random() < share) for _ in range(columns)]) for _ in range(rows)])
            if self.healthy(value):
                return value

    def healthy(self, value: Matrix) -> bool:
        return 2 <= len(value) <= 8 and 2 <= len(value[0]) <= 8 and len({x for row in value for x in row}) == 2


class CharGridType(Type[Rows]):
    """Rectangles of characters, given by their rows from top to bottom."""

    def belongs(self, value: object) -> bool:
        if type(value) is not tuple or not 1 <= len(value) <= 12:
            return False
        if not all([type(row) is str and _CELLS.fullmatch(row) for row in value]):
            return False
        return all([len(row) == len(value[0]) for row in value])

    def sample(self, rng: Random, level: int) -> Rows:
        while True:
            rows = (3, 4, 5, 6, 7)[level - 1]
            columns = rows + rng.randint(0, 2)
            letters = rng.choice(("..#", ".#a", "..##ab", "abc", ".abcd"))
            value = tuple(["".join([rng.choice(letters) for _ in range(columns)]) for _ in range(rows)])
            if self.healthy(value):
                return value

    def healthy(self, value: Rows) -> bool:
        return 2 <= len(value) <= 8 and 2 <= len(value[0]) <= 10 and len(set("".join(value))) > 1


_CELLS = re.compile(r"[.#a-z]{1,16}")
_ROWS = "a JSON array of its rows, each an array of integers"

IntMatrix = Annotated[
    Matrix,
    MatrixType(
        "IntMatrix",
        "a matrix of integers, given row by row",
        _ROWS,
        (((1, 5), (7, -2)), ((4, 0, 3), (2, 9, 8))),
        (Ragged,),
        low=-9999,
        high=9999,
        most=12,
    ),
]
SquareMatrix = Annotated[
    Matrix,
    SquareType(
        "SquareMatrix",
        "a square matrix of integers, given row by row",
        _ROWS,
        (((1, 5), (7, -2)), ((4, 0), (2, 9))),
        (IntMatrix,),
        low=-9999,
        high=9999,
        most=12,
    ),
]
BoolGrid = Annotated[
    Matrix,
    BoolGridType(
        "BoolGrid",
        "a grid of 0s and 1s, given row by row from top to bottom",
        "a JSON array of its rows, each an array of 0s and 1s",
        (((1, 0), (0, 1), (0, 0)), ((1, 1, 0), (0, 1, 0))),
        (IntMatrix,),
        low=0,
        high=1,
        most=12,
    ),
]
CharGrid = Annotated[
    Rows,
    CharGridType(
        "CharGrid",
        "a grid of characters, given row by row from top to bottom",
        "a JSON array of its rows, each a string",
        (("a.#", "..b"), ("#.", "cc", ".#")),
    ),
]
