"""Partitions of a number: conjugates, diagrams and piles, and how often and how much fits."""

from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import BoolGrid, IntList, IntPair, NatList, Partition

Ints = tuple[int, ...]


def uneven_partition(rng: Random, level: int) -> Ints:
    """A partition whose parts are not all equal and not k, ..., 3, 2, 1, which solitaire leaves alone."""
    parts, largest = (4, 5, 6, 7, 8)[level - 1], (7, 8, 8, 8, 8)[level - 1]
    while True:
        value = tuple(sorted([rng.randint(1, largest) for _ in range(parts)], reverse=True))
        if 6 <= sum(value) <= 30 and value != tuple(range(parts, 0, -1)) and len(set(value)) > 1:
            return value


@environment(sample=uneven_partition)
def conjugate_partition(parts: Partition) -> Partition:
    """For every whole number from 1 up to the largest part, count the parts of the partition that are at least as large
    as this number. List the counts in that order.
    """
    if not parts:
        raise OutOfDomain("the partition is empty, so it has no largest part")
    return tuple([sum(map(number.__le__, parts)) for number in range(1, parts[0] + 1)])


@environment(sample=uneven_partition, grade="course")
def bulgarian_solitaire_move(parts: Partition) -> Partition:
    """Take 1 away from every part of the partition and drop the parts that become 0. Then add one new part, equal to
    the number of parts that there were at the start, and order the parts from the largest to the smallest.
    """
    if not parts:
        raise OutOfDomain("the partition is empty, so the new part would be 0")
    left = [part - 1 for part in parts if part > 1]
    if len(left) == 16:
        raise OutOfDomain("there would be 17 parts")
    return tuple(sorted([*left, len(parts)], reverse=True))


@environment(sample=uneven_partition, grade="course")
def young_diagram(parts: Partition) -> BoolGrid:
    """Draw the partition as a grid with one row for each part, in the given order, and as many columns as the largest
    part. Each row begins with as many ones as its part says and is filled up with zeros.
    """
    if not parts:
        raise OutOfDomain("the partition is empty, so the grid would have no rows")
    if len(parts) > 12 or parts[0] > 12:
        raise OutOfDomain("the grid would have more than 12 rows or columns")
    return tuple([(1,) * part + (0,) * (parts[0] - part) for part in parts])


def list_of_few_values(rng: Random, level: int) -> Ints:
    """A list in which at least one number comes back, from a pool of few."""
    length, top = (7, 9, 11, 13, 14)[level - 1], (12, 30, 100, 300, 999)[level - 1]
    while True:
        numbers = rng.sample(range(-top, top), (3, 4, 5, 6, 7)[level - 1])
        values = [rng.choice(numbers) for _ in range(length)]
        if 2 <= len(set(values)) < length:
            return tuple(values)


@environment(sample=list_of_few_values, grade="course")
def multiplicity_partition(values: IntList) -> Partition:
    """Count how often each different number occurs in the list. List these counts from the largest to the smallest,
    equal counts repeated.
    """
    counts = [values.count(value) for value in dict.fromkeys(values)]
    if len(counts) > 16 or max(counts, default=0) > 16:
        raise OutOfDomain("there are more than 16 different numbers, or one occurs more than 16 times")
    return tuple(sorted(counts, reverse=True))


def sides_of_few_squares(rng: Random, level: int) -> tuple[int, int]:
    """Build the rectangle up from its smallest squares, so that few squares fill it."""
    while True:
        short, long = 0, rng.randint(1, (9, 12, 12, 15, 20)[level - 1])
        squares = 0
        for _ in range((2, 3, 3, 4, 5)[level - 1]):
            count = rng.randint(1, 4)
            short, long, squares = long, count * long + short, squares + count
        if 3 <= squares <= 14 and long < (100, 200, 400, 1000, 4000)[level - 1] and long % short:
            return (short, long) if rng.random() < 0.5 else (long, short)


@environment(sample=sides_of_few_squares, grade="course")
def squares_cut_from_rectangle(sides: IntPair) -> NatList:
    """The two numbers are the sides of a rectangle. Cut off the largest possible square, then the largest possible
    square from the rectangle that is left, and so on until nothing is left. List the side lengths of all these squares
    in the order in which they are cut off.
    """
    if min(sides) < 1:
        raise OutOfDomain("a side is not positive")
    long, short = max(sides), min(sides)
    squares: list[int] = []
    while short:
        if len(squares) + long // short > 40:
            raise OutOfDomain("there are more than 40 squares")
        squares += [short] * (long // short)
        long, short = short, long % short
    return tuple(squares)
