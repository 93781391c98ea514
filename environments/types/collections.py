"""Lists of integers and lists of such lists, with the subtypes that mean something to a reader."""

from itertools import pairwise
from random import Random
from typing import Annotated, Any

from races.environments.types.base import Type, are_ints
from races.environments.types.scalars import BIG

Ints = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]

_LENGTHS = (5, 7, 9, 11, 14)
_TOPS = (12, 30, 100, 300, 999)


def _length(rng: Random, level: int) -> int:
    """About the level's length, at least three."""
    return rng.randint(max(3, _LENGTHS[level - 1] - 2), _LENGTHS[level - 1])


class IntegerList(Type[Ints]):
    """Lists of integers from low to high whose order matters."""

    low: int
    high: int
    longest: int
    tops: Ints  # the largest absolute value that a sample has, by level

    def belongs(self, value: object) -> bool:
        return are_ints(value, self.low, self.high) and len(value) <= self.longest

    def sample(self, rng: Random, level: int) -> Ints:
        top = self.tops[level - 1]
        low = -top if self.low < 0 else 0
        while True:
            value = tuple([rng.randint(low, top) for _ in range(_length(rng, level))])
            if self.healthy(value):
                return value

    def healthy(self, value: Ints) -> bool:
        return 3 <= len(value) <= 14 and min(value) != max(value)


class PairType(Type[tuple[int, int]]):
    """Ordered pairs of integers."""

    def belongs(self, value: object) -> bool:
        return are_ints(value, -BIG, BIG) and len(value) == 2

    def sample(self, rng: Random, level: int) -> tuple[int, int]:
        top = (20, 50, 100, 300, 900)[level - 1]
        return rng.randint(2, top), rng.randint(2, top)

    def healthy(self, value: tuple[int, int]) -> bool:
        return value != (0, 0)


class SetType(IntegerList):
    """Sets of whole numbers, written in increasing order."""

    def belongs(self, value: object) -> bool:
        if not are_ints(value, self.low, self.high) or len(value) > self.longest:
            return False
        return all([a < b for a, b in pairwise(value)])

    def sample(self, rng: Random, level: int) -> Ints:
        size = rng.randint(max(3, _LENGTHS[level - 1] - 3), _LENGTHS[level - 1] - 1)
        return tuple(sorted(rng.sample(range(1, (20, 40, 100, 300, 999)[level - 1]), size)))

    def healthy(self, value: Ints) -> bool:
        return 2 <= len(value) <= 14


class PermutationType(Type[Ints]):
    """Permutations of 0 .. n-1 in one-line form: entry i is where i goes."""

    def belongs(self, value: object) -> bool:
        return are_ints(value, 0, 11) and 1 <= len(value) <= 12 and sorted(value) == list(range(len(value)))

    def sample(self, rng: Random, level: int) -> Ints:
        n = (5, 6, 7, 8, 10)[level - 1] - rng.randint(0, 1)
        while True:
            value = tuple(rng.sample(range(n), n))
            if self.healthy(value):
                return value

    def healthy(self, value: Ints) -> bool:
        return len(value) >= 4 and value != tuple(range(len(value)))


class PartitionType(Type[Ints]):
    """Partitions of a number: weakly decreasing positive parts, closed under conjugation (at most 16 of at most 16)."""

    def belongs(self, value: object) -> bool:
        return are_ints(value, 1, 16) and len(value) <= 16 and list(value) == sorted(value, reverse=True)

    def sample(self, rng: Random, level: int) -> Ints:
        total = (8, 11, 15, 20, 26)[level - 1] - rng.randint(0, 2)
        largest = (4, 5, 6, 7, 8)[level - 1]
        while True:
            parts: list[int] = []
            while sum(parts) < total:
                parts.append(rng.randint(1, min(largest, total - sum(parts))))
            value = tuple(sorted(parts, reverse=True))
            if self.belongs(value) and self.healthy(value):
                return value

    def healthy(self, value: Ints) -> bool:
        return len(value) >= 2 and 6 <= sum(value) <= 30


class RaggedType(Type[tuple[Ints, ...]]):
    """Lists of lists of integers of any lengths; the order of rows and entries matters."""

    def belongs(self, value: object) -> bool:
        if type(value) is not tuple or len(value) > 40:
            return False
        return all([are_ints(row, -BIG, BIG) for row in value]) and sum([len(row) for row in value]) <= 150

    def sample(self, rng: Random, level: int) -> tuple[Ints, ...]:
        rows, longest, top = (3, 4, 4, 5, 6)[level - 1], (3, 3, 4, 4, 5)[level - 1], _TOPS[level - 1]
        while True:
            value = tuple([tuple([rng.randint(0, top) for _ in range(rng.randint(1, longest))]) for _ in range(rows)])
            if self.healthy(value):
                return value

    def healthy(self, value: tuple[Ints, ...]) -> bool:
        return 2 <= len(value) <= 10 and sum(map(len, value)) >= 4


class PairListType(Type[Pairs]):
    """Lists of pairs of integers whose order matters."""

    most: int

    def belongs(self, value: object) -> bool:
        if type(value) is not tuple or len(value) > self.most:
            return False
        return all([are_ints(pair, -BIG, BIG) and len(pair) == 2 for pair in value])

    def sample(self, rng: Random, level: int) -> Pairs:
        top = (9, 20, 40, 100, 300)[level - 1]
        return tuple([(rng.randint(1, top), rng.randint(1, top)) for _ in range((3, 4, 5, 6, 8)[level - 1])])

    def healthy(self, value: Pairs) -> bool:
        return 2 <= len(value) <= 12


class IntervalListType(PairListType):
    """Closed intervals [left, right] of whole numbers, sorted by left end, then by right end."""

    def belongs(self, value: object) -> bool:
        if not super().belongs(value):
            return False
        pairs: Any = value
        return all([0 <= left <= right <= 9999 for left, right in pairs]) and list(pairs) == sorted(pairs)

    def sample(self, rng: Random, level: int) -> Pairs:
        top = (15, 25, 40, 70, 120)[level - 1]
        pairs = []
        for _ in range((3, 4, 5, 6, 8)[level - 1]):
            left = rng.randint(0, top - 2)
            pairs.append((left, min(top, left + rng.randint(1, max(2, top // 4)))))
        return tuple(sorted(pairs))

    def healthy(self, value: Pairs) -> bool:
        return 2 <= len(value) <= 10


class PointListType(PairListType):
    """Distinct pairs with entries from low to high, in an order that matters: points [x, y] or cells [row, column]."""

    low: int
    high: int
    reach: Ints  # the largest absolute value that a sample has, by level

    def belongs(self, value: object) -> bool:
        if not super().belongs(value):
            return False
        pairs: Any = value
        inside = all([self.low <= a <= self.high and self.low <= b <= self.high for a, b in pairs])
        return inside and len(set(pairs)) == len(pairs)

    def sample(self, rng: Random, level: int) -> Pairs:
        top, low = self.reach[level - 1], -self.reach[level - 1] if self.low < 0 else 0
        points: dict[tuple[int, int], None] = {}
        while len(points) < (4, 5, 6, 8, 10)[level - 1]:
            points[rng.randint(low, top), rng.randint(low, top)] = None
        return tuple(points)

    def healthy(self, value: Pairs) -> bool:
        return 3 <= len(value) <= 12


_INTS = "a JSON array of integers"
_PAIRS = "a JSON array of arrays of two integers"

IntList = Annotated[
    Ints,
    IntegerList(
        "IntList", "a list of integers", _INTS, ((4, -7, 12), (-3, 8, 8, 0)), low=-BIG, high=BIG, longest=40, tops=_TOPS
    ),
]
NatList = Annotated[
    Ints,
    IntegerList(
        "NatList",
        "a list of whole numbers, each 0 or more",
        _INTS,
        ((4, 7, 12), (3, 8, 8, 0)),
        (IntList,),
        low=0,
        high=BIG,
        longest=40,
        tops=_TOPS,
    ),
]
DigitList = Annotated[
    Ints,
    IntegerList(
        "DigitList",
        "a list of digits from 0 to 9",
        _INTS,
        ((4, 7, 2), (3, 8, 8, 0)),
        (NatList,),
        low=0,
        high=9,
        longest=40,
        tops=(9, 9, 9, 9, 9),
    ),
]
IntPair = Annotated[
    tuple[int, int],
    PairType("IntPair", "an ordered pair of integers", "a JSON array of two integers", ((4, -7), (12, 3)), (IntList,)),
]
IntSet = Annotated[
    Ints,
    SetType(
        "IntSet",
        "a set of whole numbers, listed in increasing order",
        "a JSON array of integers in increasing order",
        ((2, 5, 11), (1, 4, 7, 20)),
        (NatList,),
        low=0,
        high=9999,
        longest=32,
        tops=_TOPS,
    ),
]
Permutation = Annotated[
    Ints,
    PermutationType(
        "Permutation",
        "a permutation of the numbers 0, 1, ..., n-1, written as the list of its entries at positions 0, 1, ..., n-1",
        "a JSON array that holds each of 0, 1, ..., n-1 once",
        ((2, 0, 1), (1, 3, 0, 2)),
        (NatList,),
    ),
]
Partition = Annotated[
    Ints,
    PartitionType(
        "Partition",
        "a partition of a number, written as the list of its parts from the largest to the smallest",
        "a JSON array of positive integers, none larger than the one before it",
        ((5, 2, 2), (4, 3, 1, 1)),
        (NatList,),
    ),
]
Ragged = Annotated[
    tuple[Ints, ...],
    RaggedType(
        "Ragged",
        "a list of lists of integers",
        "a JSON array of arrays of integers",
        (((1, 5), (7,)), ((4,), (2, 0, 9))),
    ),
]
PairList = Annotated[
    Pairs,
    PairListType(
        "PairList", "a list of pairs of integers", _PAIRS, (((1, 5), (7, 2)), ((4, 0), (9, 9))), (Ragged,), most=32
    ),
]
IntervalList = Annotated[
    Pairs,
    IntervalListType(
        "IntervalList",
        "a list of closed intervals [left, right], sorted by left end and then by right end",
        _PAIRS + ", each an interval [left, right], sorted by left end and then by right end",
        (((1, 5), (7, 9)), ((0, 4), (2, 3))),
        (PairList,),
        most=16,
    ),
]
PointList = Annotated[
    Pairs,
    PointListType(
        "PointList",
        "a list of different points [x, y]",
        _PAIRS + ", each a point [x, y]",
        (((1, -5), (7, 2)), ((4, 0), (-9, 3))),
        (PairList,),
        most=24,
        low=-99,
        high=99,
        reach=(5, 7, 9, 12, 20),
    ),
]
CellList = Annotated[
    Pairs,
    PointListType(
        "CellList",
        "a list of different cells [row, column] of a grid, both counted from 0 at the top left",
        _PAIRS + ", each a cell [row, column]",
        (((1, 5), (0, 2)), ((4, 0), (3, 3))),
        (PairList,),
        most=32,
        low=0,
        high=15,
        reach=(4, 4, 5, 6, 7),
    ),
]
