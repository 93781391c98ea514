"""Tables in which each answer follows from answers for something smaller."""

import bisect
from itertools import chain

from races.environments import OutOfDomain, environment
from races.environments.types import IntList, IntMatrix, NatList


@environment(grade="course")
def minimal_path_sums(matrix: IntMatrix) -> IntMatrix:
    """Replace each entry of the matrix by the smallest possible sum of the original entries on a path from the top left
    entry to it, both included, where a path goes one place to the right or one place down at a time.
    """
    table: list[list[int]] = []
    for row in matrix:
        above = table[-1] if table else []
        table.append([])
        for j, entry in enumerate(row):
            table[-1].append(entry + min([*above[j : j + 1], *table[-1][-1:]], default=0))
    if max(map(abs, chain.from_iterable(table))) > 9999:
        raise OutOfDomain("a sum has more than four digits")
    return tuple(map(tuple, table))


@environment(grade="course")
def increasing_subsequence_lengths(values: IntList) -> NatList:
    """For each entry of the list, leave out as few as possible of the entries before it such that those kept, in their
    order and followed by the entry itself, strictly increase. Write down how many entries these are, the entry itself
    included. List these numbers in order.
    """
    ends: list[int] = []
    lengths = []
    for value in values:
        place = bisect.bisect_left(ends, value)
        ends[place : place + 1] = [value]
        lengths.append(place + 1)
    return tuple(lengths)


@environment(grade="course")
def frog_jump_costs(heights: IntList) -> NatList:
    """The entries of the list are the heights of stones in a row. A frog on the first stone always jumps forward by one
    or two places, at the cost of the absolute difference of the two heights. List for each stone the smallest total
    cost of reaching it.
    """
    costs: list[int] = []
    for i, height in enumerate(heights):
        costs.append(min([costs[j] + abs(height - heights[j]) for j in range(max(0, i - 2), i)], default=0))
    if max(costs, default=0) > 1_000_000:
        raise OutOfDomain("a cost is above a million")
    return tuple(costs)


@environment(grade="course")
def best_totals_without_neighbours(values: NatList) -> NatList:
    """For each entry of the list, consider only the entries from the first one up to and including it. Find the
    greatest sum of a choice of them in which no two chosen entries stand directly side by side. List these sums in
    order.
    """
    totals = [0, 0]
    for value in values:
        totals.append(max(totals[-1], totals[-2] + value))
    if totals[-1] > 1_000_000:
        raise OutOfDomain("a sum is above a million")
    return tuple(totals[2:])
