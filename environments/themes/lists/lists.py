"""Everyday handling of lists: cutting, weaving, runs, digits and signs."""

from itertools import groupby, pairwise
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import DigitList, Int, IntList, PairList

BIG = 1_000_000


def part_sizes(rng: Random, total: int, parts: int) -> list[int]:
    """Positive sizes with the given total, every way to cut being equally likely."""
    cuts = [0, *sorted(rng.sample(range(1, total), parts - 1)), total]
    return [right - left for left, right in pairwise(cuts)]


@environment()
def swap_halves(values: IntList) -> IntList:
    """Exchange the first half and the second half of the list, keeping the order inside each half. If the number of
    entries is odd, the middle entry stays in the middle.
    """
    half = len(values) // 2
    last = len(values) - half
    return values[last:] + values[half:last] + values[:half]


@environment()
def interleave_halves(values: IntList) -> IntList:
    """Cut the list into two parts of equal length; with an odd number of entries, make the first part longer by one.
    Build a new list by taking entries alternately from the first and from the second part, each part in its own order,
    beginning with the first part.
    """
    middle = (len(values) + 1) // 2
    woven = list(values)
    woven[0::2] = values[:middle]
    woven[1::2] = values[middle:]
    return tuple(woven)


def list_with_runs(rng: Random, level: int) -> tuple[int, ...]:
    """Plant runs, because neighbours of a random list are hardly ever equal."""
    top = (9, 20, 50, 100, 300)[level - 1]
    sizes = part_sizes(rng, (6, 8, 10, 12, 14)[level - 1], (3, 4, 5, 6, 8)[level - 1] - rng.randint(0, 1))
    values: list[int] = []
    for size in sizes:
        value = rng.randint(-top, top - 1)
        values += [value + (value >= values[-1]) if values else value] * size
    return tuple(values)


@environment(sample=list_with_runs)
def run_lengths(values: IntList) -> PairList:
    """Split the list into the longest possible runs of equal neighbouring entries. For each run, from left to right,
    give the pair of its value and its number of entries.
    """
    runs = tuple([(value, len(list(run))) for value, run in groupby(values)])
    if len(runs) > 32:
        raise OutOfDomain("the list has more than 32 runs")
    return runs


def values_with_counts(rng: Random, level: int) -> tuple[tuple[int, int], ...]:
    """Keep the counts small, and let one of them be 0 now and then."""
    top = (9, 20, 50, 100, 300)[level - 1]
    counts = part_sizes(rng, (5, 7, 9, 11, 14)[level - 1], (2, 3, 4, 5, 6)[level - 1])
    if level >= 2 and rng.random() < 0.3:
        counts.insert(rng.randint(0, len(counts)), 0)
    return tuple([(rng.randint(-top, top), count) for count in counts])


@environment(sample=values_with_counts)
def repeated_values(pairs: PairList) -> IntList:
    """Go through the pairs in order. For each pair write down its first number as many times as its second number says.
    Give everything that was written down as one list.
    """
    counts = [count for _, count in pairs]
    if min(counts, default=0) < 0:
        raise OutOfDomain("a number cannot be written down a negative number of times")
    if sum(counts) > 40:
        raise OutOfDomain("the list would have more than 40 entries")
    return tuple([value for value, count in pairs for _ in range(count)])


@environment()
def last_digits(values: IntList) -> DigitList:
    """Replace every entry of the list by its last decimal digit, ignoring minus signs."""
    return tuple([abs(value) % 10 for value in values])


@environment()
def alternating_sum(values: IntList) -> Int:
    """Start from 0 and go through the list from left to right: add the first entry, subtract the second, add the third,
    subtract the fourth, and so on. Give the number reached at the end.
    """
    total = sum(values[0::2]) - sum(values[1::2])
    if abs(total) > BIG:
        raise OutOfDomain("the sum is beyond a million")
    return total
