"""Order: positions and ranks, one pass of a sorting method, ascending pieces and merging."""

from itertools import pairwise
from operator import itemgetter
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import IntList, NatList, PairList, Permutation, Ragged

Ints = tuple[int, ...]
TOPS = (12, 30, 100, 300, 999)


def unsorted_list_with_ties(rng: Random, level: int) -> Ints:
    """Repeat an entry or two, because ties are what a solver gets wrong, and leave something to sort."""
    length = (5, 7, 8, 10, 12)[level - 1]
    while True:
        values = [rng.randint(-TOPS[level - 1], TOPS[level - 1]) for _ in range(length)]
        for _ in range(rng.randint(0, 1 + level // 2)):
            values[rng.randrange(length)] = values[rng.randrange(length)]
        if values != sorted(values) and len(set(values)) > 2:
            return tuple(values)


@environment(sample=unsorted_list_with_ties)
def sorting_permutation(values: IntList) -> Permutation:
    """List the positions of the list, counted from 0, in the order of the entries that stand there: the position of the
    smallest entry first, that of the largest last. Positions of equal entries come in ascending order.
    """
    if not 1 <= len(values) <= 12:
        raise OutOfDomain("the list does not have 1 to 12 entries")
    return tuple([position for _, position in sorted(zip(values, range(len(values)), strict=True))])


@environment(sample=unsorted_list_with_ties)
def competition_ranks(values: IntList) -> NatList:
    """Replace each entry of the list by its rank, which is one more than the number of entries that are strictly
    greater than it.
    """
    return tuple([1 + sorted(values, reverse=True).index(value) for value in values])


@environment(sample=unsorted_list_with_ties)
def bubble_sort_pass(values: IntList) -> IntList:
    """Compare the entries at positions 0 and 1 of the list, then those at positions 1 and 2, and so on to its end.
    Whenever the left one of the two is greater, exchange them before going on. Give the list after this single pass.
    """
    row = list(values)
    for i in range(len(row) - 1):
        if row[i] > row[i + 1]:
            row[i], row[i + 1] = row[i + 1], row[i]
    return tuple(row)


@environment(sample=unsorted_list_with_ties)
def ascending_runs(values: IntList) -> Ragged:
    """Cut the list between two neighbouring entries wherever the right one is not greater than the left one, and
    nowhere else. Give the pieces from left to right.
    """
    if not values:
        raise OutOfDomain("the list has no entries")
    pieces = [[values[0]]]
    for left, right in pairwise(values):
        if right > left:
            pieces[-1].append(right)
        else:
            pieces.append([right])
    return tuple([tuple(piece) for piece in pieces])


def queues_with_ties(rng: Random, level: int) -> tuple[Ints, ...]:
    """A few rows of two values or more, at most 14 in all; some values may occur twice."""
    rows, total = (2, 3, 3, 4, 5)[level - 1], (5, 7, 9, 11, 14)[level - 1]
    values = [rng.randint(1, TOPS[level - 1]) for _ in range(total)]
    for _ in range(rng.randint(0, 2)):
        values[rng.randrange(total)] = values[rng.randrange(total)]
    longer = [rng.randrange(rows) for _ in range(total - 2 * rows)]
    queues = [[values.pop() for _ in range(2 + longer.count(i))] for i in range(rows)]
    return tuple([tuple(queue) for queue in queues])


@environment(sample=queues_with_ties)
def k_way_merge(rows: Ragged) -> IntList:
    """Leave every inner list in its order. Start a new list. While any inner list has entries left, compare the
    foremost remaining entries, remove the smallest, on ties from the inner list that comes first, and append it to the
    new list. Give the new list.
    """
    if sum(map(len, rows)) > 40:
        raise OutOfDomain("the rows have more than 40 numbers")
    queues = [list(row) for row in rows]
    merged = []
    while any(queues):
        first = min(filter(None, queues), key=itemgetter(0))
        merged.append(first.pop(0))
    return tuple(merged)


def unsorted_pairs_with_equal_sums(rng: Random, level: int) -> tuple[tuple[int, int], ...]:
    """At least two pairs have equal sums, and the sums are not in order yet."""
    top, length = (9, 20, 40, 100, 300)[level - 1], (4, 5, 6, 7, 8)[level - 1]
    while True:
        pairs = [(rng.randint(-2, top), rng.randint(-2, top)) for _ in range(length)]
        first, second = rng.sample(range(length), 2)
        shift = rng.randint(-3, 3)
        pairs[second] = pairs[first][0] + shift, pairs[first][1] - shift
        sums = [sum(pair) for pair in pairs]
        if sums != sorted(sums):
            return tuple(pairs)


@environment(sample=unsorted_pairs_with_equal_sums)
def pairs_by_sum(pairs: PairList) -> PairList:
    """Rearrange the pairs by the sum of their two numbers, the smallest sum first. Pairs with equal sums keep their
    order; no pair is changed or left out.
    """
    return tuple(sorted(pairs, key=sum))
