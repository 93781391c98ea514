"""Counting pairs, numbering arrangements, and what permutations become: cycles, grids and brackets."""

import bisect
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import BoolGrid, DyckWord, Int, IntList, Nat, Partition, Permutation, SmallNat

Ints = tuple[int, ...]
SIZES = (6, 7, 8, 9, 10)


def number_below_half_a_million(rng: Random, level: int) -> int:
    """Stay below half a million, because the place of a larger number is above a million."""
    return rng.randint(5, (99, 999, 9999, 99_999, 499_999)[level - 1]) * rng.choice((1, -1))


@environment(sample=number_below_half_a_million, grade="course")
def place_among_integers(number: Int) -> Nat:
    """Imagine all integers in a row in the order 0, -1, 1, -2, 2, -3, 3 and so on. Count how many of them stand before
    the number.
    """
    before = 2 * number if number >= 0 else -2 * number - 1
    if before > 1_000_000:
        raise OutOfDomain("there are more than a million")
    return before


@environment(grade="course")
def arrangement_by_number(number: SmallNat) -> Permutation:
    """Imagine the 120 arrangements of the numbers 0, 1, 2, 3 and 4, sorted by their first entry, then by their second
    entry, and so on, smaller entries first. Count them from 0 and give the arrangement whose count is the number.
    """
    left, entries = [0, 1, 2, 3, 4], []
    for block in (24, 6, 2, 1, 1):
        entries.append(left.pop(number // block))
        number %= block
    return tuple(entries)


def number_with_mixed_digits(rng: Random, level: int) -> int:
    """Avoid numbers with equal binary digits or a single one, because their brackets are all alike."""
    low, high = (5, 5, 9, 17, 18)[level - 1], (20, 42, 50, 58, 60)[level - 1]
    while True:
        number = rng.randint(low, high)
        if number & (number - 1) and number & (number + 1):
            return number


@environment(sample=number_with_mixed_digits, grade="course")
def brackets_of_binary_digits(number: SmallNat) -> DyckWord:
    """Write the number in base two and go through its digits from left to right, starting with an empty string. For
    each 1 append () to the string; for each 0 put the whole string into one more pair of round brackets.
    """
    brackets = ""
    for digit in f"{number:b}":
        brackets = f"{brackets}()" if digit == "1" else f"({brackets})"
    return brackets


def short_list(rng: Random, level: int) -> Ints:
    """At most twelve entries, because a longer list has more inversions than one cares to count."""
    length, top = (5, 6, 8, 10, 12)[level - 1], (12, 30, 60, 99, 300)[level - 1]
    return tuple([rng.randint(0, top) for _ in range(length)])


@environment(sample=short_list)
def inversion_count(values: IntList) -> SmallNat:
    """Count the pairs of entries of the list, at any two positions, of which the earlier entry is strictly greater than
    the later one.
    """
    seen: list[int] = []
    count = 0
    for value in values:
        place = bisect.bisect(seen, value)
        count += len(seen) - place
        seen.insert(place, value)
    if count > 60:
        raise OutOfDomain("there are more than 60 such pairs")
    return count


def permutation_unlike_its_inverse(rng: Random, level: int) -> Ints:
    """Six entries or more, so that problems seldom repeat; none that leads back where it came from."""
    n = SIZES[level - 1]
    while True:
        entries = rng.sample(range(n), n)
        if any([entries[entries[i]] != i for i in range(n)]):
            return tuple(entries)


@environment(sample=permutation_unlike_its_inverse, grade="course")
def cycle_type(entries: Permutation) -> Partition:
    """Each position of the permutation, counted from 0, leads to the number that stands there, which is the next
    position. All positions thus fall into cycles, a position that leads to itself being one by itself. Count the
    positions of each cycle and list these counts in falling order.
    """
    lengths: list[int] = []
    left = list(range(len(entries)))
    while left:
        cycle = left[:1]
        while entries[cycle[-1]] != cycle[0]:
            cycle.append(entries[cycle[-1]])
        lengths.append(len(cycle))
        left = sorted(set(left).difference(cycle))
    return tuple(sorted(lengths, reverse=True))


@environment(sample=permutation_unlike_its_inverse, grade="course")
def permutation_applied_twice(entries: Permutation) -> Permutation:
    """For each entry of the permutation, from left to right, go to the position, counted from 0, that this entry names,
    and write down the entry that stands there.
    """
    return tuple([entries[entry] for entry in entries])


@environment(sample=permutation_unlike_its_inverse, grade="course")
def brackets_of_records(entries: Permutation) -> DyckWord:
    """Go through the permutation from left to right. For each entry write as many opening brackets as it exceeds the
    largest entry before it, none if it does not, and after them one closing bracket. Take -1 as the largest entry
    before the first.
    """
    brackets, largest = "", -1
    for entry in entries:
        brackets += "(" * max(0, entry - largest) + ")"
        largest = max(largest, entry)
    return brackets


def permutation_for_a_grid(rng: Random, level: int) -> Ints:
    """At most eight entries, because larger grids are tedious to write."""
    n = level + 3
    return tuple(rng.sample(range(n), n))


@environment(sample=permutation_for_a_grid)
def permutation_matrix(entries: Permutation) -> BoolGrid:
    """Draw a square grid with as many rows and columns as the permutation has entries. For each position i of the
    permutation, put a 1 in row i into the column that the entry there names, counting positions, rows and columns from
    0. All other cells hold 0.
    """
    size = len(entries)
    return tuple([(0,) * entry + (1,) + (0,) * (size - 1 - entry) for entry in entries])
