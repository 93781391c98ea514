"""Sequences: running totals, differences, peaks and what neighbours make of one another."""

from itertools import accumulate, pairwise
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import DigitList, IntList, IntPair, NatList

Ints = tuple[int, ...]
BIG = 1_000_000
LENGTHS = (5, 7, 9, 11, 14)


def within_a_million(values: list[int]) -> Ints:
    """The values as a list, refused where one of them is too large."""
    if any([abs(value) > BIG for value in values]):
        raise OutOfDomain("an entry would be beyond a million")
    return tuple(values)


@environment()
def running_totals(values: IntList) -> IntList:
    """Replace every entry of the list by the sum of all entries from the first one up to and including it."""
    return within_a_million(list(accumulate(values)))


def wandering_list(rng: Random, level: int) -> Ints:
    """At least five entries, so that something is left when the list gets shorter."""
    top = (12, 30, 100, 300, 999)[level - 1]
    return tuple([rng.randint(-top, top) for _ in range(LENGTHS[level - 1])])


@environment(sample=wandering_list)
def neighbour_differences(values: IntList) -> IntList:
    """From each entry of the list except the first, subtract the entry just before it. List the differences from left
    to right.
    """
    return within_a_million([right - left for left, right in pairwise(values)])


def list_with_peaks(rng: Random, level: int) -> Ints:
    """Lists with three peaks or more; some neighbours are equal."""
    top = (9, 20, 60, 200, 999)[level - 1]
    while True:
        values = [rng.randint(-top, top) for _ in range((7, 9, 11, 13, 14)[level - 1])]
        for _ in range(rng.randint(0, 2)):
            at = rng.randrange(1, len(values))
            values[at] = values[at - 1]
        triples = zip([-top - 1, *values], values, [*values[1:], -top - 1], strict=False)
        if sum([left < middle > right for left, middle, right in triples]) >= 3:
            return tuple(values)


@environment(sample=list_with_peaks)
def entries_above_a_neighbour(values: IntList) -> IntList:
    """Keep exactly those entries of the list that are strictly greater than at least one entry directly beside them, in
    their order. The first and the last entry have only one neighbour; an entry without any neighbour is dropped.
    """
    above = max(values, default=0) + 1  # stands beside both ends
    triples = zip((above, *values), values, (*values[1:], above), strict=False)
    return tuple([middle for left, middle, right in triples if left < middle or middle > right])


@environment(sample=wandering_list)
def farthest_neighbours(values: IntList) -> IntPair:
    """Among all pairs of entries that stand directly side by side in the list, find the pair whose entries differ most,
    on ties the leftmost such pair. Give its two entries in the order in which they stand in the list.
    """
    if len(values) < 2:
        raise OutOfDomain("the list has fewer than two entries")
    return max(pairwise(values), key=lambda pair: abs(pair[1] - pair[0]))


def digits(rng: Random, level: int) -> Ints:
    """At least five digits, so that something is left when the list gets shorter."""
    return tuple([rng.randint(0, 9) for _ in range(LENGTHS[level - 1])])


@environment(sample=digits)
def neighbour_sum_digits(values: DigitList) -> DigitList:
    """For each digit of the list except the last, from left to right, add the digit just after it and write down the
    last digit of the sum. List the digits written down.
    """
    return tuple([(left + right) % 10 for left, right in pairwise(values)])


@environment()
def pass_half_on(values: NatList) -> NatList:
    """People sit in a circle, and the entries of the list say how many beads they have. All at once, each gives half of
    their beads, rounded down, to the person of the next entry, and the last one to the first. List how many beads each
    then has.
    """
    return tuple([value - value // 2 + values[i - 1] // 2 for i, value in enumerate(values)])
