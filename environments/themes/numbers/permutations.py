"""Permutations of 0, 1, ..., n-1: inverses, cycles, successors, codes and swaps."""

from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import NatList, PairList, Permutation, Ragged

Ints = tuple[int, ...]
SIZES = (6, 7, 8, 9, 10)


def permutation_unlike_its_inverse(rng: Random, level: int) -> Ints:
    """Avoid the many small permutations that are their own inverse."""
    n = SIZES[level - 1]
    while True:
        entries = rng.sample(range(n), n)
        if any([entries[entries[i]] != i for i in range(n)]):
            return tuple(entries)


@environment(sample=permutation_unlike_its_inverse)
def inverse_permutation(entries: Permutation) -> Permutation:
    """For each of the numbers 0, 1, 2, and so on in turn, give the position, counted from 0, at which it stands in the
    permutation.
    """
    return tuple([entries.index(number) for number in range(len(entries))])


def permutation_with_falling_end(rng: Random, level: int) -> Ints:
    """Let the end fall, because otherwise only the last few entries change; now and then all of it falls."""
    n = SIZES[level - 1]
    tail = n if rng.random() < 0.02 else rng.randint(2, n - 2)
    entries = rng.sample(range(n), n)
    return (*entries[: n - tail], *sorted(entries[n - tail :], reverse=True))


@environment(sample=permutation_with_falling_end, grade="course")
def next_permutation(entries: Permutation) -> Permutation:
    """Imagine all arrangements of the entries of the permutation, sorted by first entry, then by second entry, and so
    on, smaller entries first. Give the arrangement that comes directly after the permutation; after the very last
    arrangement comes the very first.
    """
    pivot = len(entries) - 2
    while pivot >= 0 and entries[pivot] > entries[pivot + 1]:
        pivot -= 1
    if pivot < 0:
        return tuple(sorted(entries))
    tail = sorted(entries[pivot:])
    successor = tail.pop(tail.index(entries[pivot]) + 1)
    return (*entries[:pivot], successor, *tail)


@environment(sample=permutation_unlike_its_inverse, grade="course")
def cycle_decomposition(entries: Permutation) -> Ragged:
    """Each position of the permutation, counted from 0, leads to the number that stands there, which is the next
    position. Write down each cycle that arises in this direction, beginning with its smallest number, cycles of one
    number included. Order the cycles by their smallest numbers.
    """
    cycles: list[tuple[int, ...]] = []
    left = list(range(len(entries)))
    while left:
        cycle = left[:1]
        while entries[cycle[-1]] != cycle[0]:
            cycle.append(entries[cycle[-1]])
        cycles.append(tuple(cycle))
        left = sorted(set(left).difference(cycle))
    return tuple(cycles)


def any_permutation(rng: Random, level: int) -> Ints:
    """Six entries or more, so that problems seldom repeat."""
    n = SIZES[level - 1]
    return tuple(rng.sample(range(n), n))


@environment(sample=any_permutation)
def lehmer_code(entries: Permutation) -> NatList:
    """For each entry of the permutation, from left to right, count the entries further right that are smaller than it.
    List these counts.
    """
    return tuple([sum([later < entry for later in entries[i + 1 :]]) for i, entry in enumerate(entries)])


def position_pairs(rng: Random, level: int) -> tuple[tuple[int, int], ...]:
    """Pairs of different positions in a list that a person can still keep track of."""
    largest = (4, 5, 6, 8, 10)[level - 1]
    pairs: list[tuple[int, int]] = []
    while len(pairs) < (3, 4, 5, 6, 8)[level - 1]:
        first, second = rng.sample(range(largest + 1), 2)
        if (first, second) not in pairs[-1:] and (second, first) not in pairs[-1:]:
            pairs.append((first, second))
    return tuple(pairs)


@environment(sample=position_pairs, grade="course")
def list_after_swaps(pairs: PairList) -> Permutation:
    """Write down all whole numbers from 0 to the largest number in the pairs in ascending order. Then, for each pair in
    turn, read its two numbers as positions, counted from 0, and exchange the entries that stand there at that moment.
    Give the final list.
    """
    numbers = [number for pair in pairs for number in pair]
    if not numbers:
        raise OutOfDomain("there are no pairs, so there is no largest number")
    if min(numbers) < 0 or max(numbers) > 11:
        raise OutOfDomain("a position is negative or above 11")
    entries = list(range(max(numbers) + 1))
    for first, second in pairs:
        entries[first], entries[second] = entries[second], entries[first]
    return tuple(entries)
