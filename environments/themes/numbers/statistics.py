"""Medians, quartiles, means and shares, said exactly."""

from fractions import Fraction
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import (
    IntList,
    IntPair,
    PairList,
    Partition,
    Permutation,
    Ragged,
    Rational,
    Tally,
    type_of,
)
from races.environments.values import tally

Ints = tuple[int, ...]


@environment()
def median(values: IntList) -> Rational:
    """Sort the entries of the list. Find the median exactly: the entry in the middle or, if the list has an even number
    of entries, the arithmetic mean of the two in the middle.
    """
    if not values:
        raise OutOfDomain("an empty list has no median")
    ordered = sorted(values)
    middle = Fraction(ordered[(len(values) - 1) // 2] + ordered[len(values) // 2], 2)
    if abs(middle.numerator) > 99_999:
        raise OutOfDomain("the numerator of the median has more than five digits")
    return middle


@environment()
def five_number_summary(values: IntList) -> IntList:
    """Sort the entries of the list in ascending order, equal ones repeated, and count their places from 1. With n
    entries, list the first entry, then the entries in the places n/4, n/2 and 3n/4, each rounded up to a whole number,
    and then the last entry.
    """
    if not values:
        raise OutOfDomain("an empty list has no first entry")
    ordered, n = sorted(values), len(values)
    return ordered[0], *[ordered[(quarter * n + 3) // 4 - 1] for quarter in (1, 2, 3)], ordered[-1]


@environment()
def moving_average(values: IntList) -> IntList:
    """Keep the first and the last entry of the list. Replace every other entry by the arithmetic mean of itself and its
    two neighbours, all as they were originally, rounded down to the greatest integer that is not above this mean.
    """
    middles = [sum(values[i - 1 : i + 2]) // 3 for i in range(1, len(values) - 1)]
    return (*values[:1], *middles, *values[1:][-1:])


@environment()
def share_of_largest_count(counts: Tally) -> Rational:
    """Find which fraction of the sum of all counts of the tally its largest count makes up."""
    if not counts:
        raise OutOfDomain("the tally is empty")
    return Fraction(max([count for _, count in counts]), sum([count for _, count in counts]))


def tally_of_small_counts(rng: Random, level: int) -> tuple[tuple[str, int], ...]:
    """Small counts, because the parts of a partition are at most 16."""
    top = (5, 6, 7, 8, 9)[level - 1]
    while True:
        counts = {key: rng.randint(1, top) for key, _ in type_of(Tally).sample(rng, level)}
        if 6 <= sum(counts.values()) <= 30:
            return tally(counts)


@environment(sample=tally_of_small_counts)
def counts_in_falling_order(counts: Tally) -> Partition:
    """List the counts of the tally without their keys, from the largest to the smallest, equal counts repeated."""
    if len(counts) > 16 or any([count > 16 for _, count in counts]):
        raise OutOfDomain("there are more than 16 counts, or one is above 16")
    return tuple(sorted([count for _, count in counts], reverse=True))


@environment()
def coordinate_sums(pairs: PairList) -> IntPair:
    """Add up the first numbers of all pairs of the list, and separately add up their second numbers. Give the two sums
    in this order.
    """
    sums = sum([first for first, _ in pairs]), sum([second for _, second in pairs])
    if max(map(abs, sums)) > 1_000_000:
        raise OutOfDomain("a sum is above a million")
    return sums


def values_with_small_weights(rng: Random, level: int) -> tuple[tuple[int, int], ...]:
    """Small weights, because the mean has to be a small fraction."""
    top = (9, 20, 40, 100, 300)[level - 1]
    return tuple([(rng.randint(1, top), rng.randint(1, 4 + level)) for _ in range((3, 4, 5, 6, 8)[level - 1])])


@environment(sample=values_with_small_weights)
def weighted_mean(pairs: PairList) -> Rational:
    """Each pair of the list gives a value and its weight. Find the weighted mean exactly: multiply each value by its
    weight, add up these products, and divide their sum by the sum of all weights.
    """
    total, weight = sum([value * weight for value, weight in pairs]), sum([weight for _, weight in pairs])
    if weight == 0:
        raise OutOfDomain("the weights add up to 0")
    mean = Fraction(total, weight)
    if max(abs(mean.numerator), mean.denominator) > 99_999:
        raise OutOfDomain("the numerator or the denominator has more than five digits")
    return mean


def several_rows(rng: Random, level: int) -> tuple[Ints, ...]:
    """Four rows or more, because three are too easily in order."""
    longest, top = (2, 3, 4, 4, 5)[level - 1], (12, 30, 60, 100, 300)[level - 1]
    rows = (4, 5, 6, 7, 8)[level - 1]
    return tuple([tuple([rng.randint(0, top) for _ in range(rng.randint(1, longest))]) for _ in range(rows)])


@environment(sample=several_rows)
def rows_by_average(rows: Ragged) -> Permutation:
    """Number the inner lists from 0 in the order given. List their numbers by the average of their entries, the lowest
    average first; of inner lists with equal averages the one with the smaller number comes first.
    """
    if not 1 <= len(rows) <= 12:
        raise OutOfDomain("there are no inner lists, or more than 12")
    if () in rows:
        raise OutOfDomain("an empty inner list has no average")
    averages = [Fraction(sum(row), len(row)) for row in rows]
    return tuple(sorted(range(len(rows)), key=averages.__getitem__))


@environment(sample=several_rows)
def row_medians(rows: Ragged) -> IntList:
    """For each inner list, in order, give its lower median: sort its entries and take the one in the middle, or the
    smaller one of the two in the middle.
    """
    if () in rows:
        raise OutOfDomain("an empty inner list has no median")
    return tuple([sorted(row)[(len(row) - 1) // 2] for row in rows])


@environment(sample=several_rows)
def smallest_and_largest_entries(rows: Ragged) -> PairList:
    """For each inner list, in order, give the pair of its smallest and its largest entry, which may be the same one."""
    if len(rows) > 32:
        raise OutOfDomain("there are more than 32 inner lists")
    if () in rows:
        raise OutOfDomain("an empty inner list has no smallest entry")
    return tuple([(min(row), max(row)) for row in rows])
