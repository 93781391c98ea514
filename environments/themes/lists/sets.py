"""Sets of whole numbers: gaps, runs and membership, and lists that are on their way to a set."""

from itertools import groupby, pairwise
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import IntervalList, IntList, IntSet, NatList, Ragged

Ints = tuple[int, ...]
TOPS = (20, 40, 100, 300, 999)
LENGTHS = (6, 8, 10, 12, 14)


def checked_set(members: list[int]) -> Ints:
    """The numbers in increasing order, refused where they are no set of whole numbers that our type holds."""
    if min(members, default=0) < 0 or max(members, default=0) > 9999:
        raise OutOfDomain("the set would have a member that is negative or above 9999")
    if len(members) > 32:
        raise OutOfDomain("the set would have more than 32 members")
    return tuple(sorted(members))


@environment()
def gap_sequence(members: IntSet) -> NatList:
    """Give the smallest member of the set and then, going upwards, for each further member its difference from the
    next smaller member.
    """
    if not members:
        raise OutOfDomain("the set is empty, so it has no smallest member")
    return (members[0], *[high - low for low, high in pairwise(members)])


def set_with_doubles(rng: Random, level: int) -> Ints:
    """Put some numbers in together with their doubles, so that members fall together."""
    low = rng.sample(range(1, TOPS[level - 1] // 2), LENGTHS[level - 1] * 2 // 3)
    doubles = [2 * number for number in low[: LENGTHS[level - 1] // 3]]
    return tuple(sorted({*low, *doubles}))


@environment(sample=set_with_doubles)
def halved_even_members(members: IntSet) -> IntSet:
    """Halve every even member of the set and leave every odd member as it is. Give the set of the resulting numbers."""
    return tuple(sorted({member // 2 if member % 2 == 0 else member for member in members}))


def repetitive_list(rng: Random, level: int, low: int) -> Ints:
    """A list whose entries come from a pool of about half as many numbers."""
    length = LENGTHS[level - 1]
    while True:
        numbers = rng.sample(range(low, TOPS[level - 1]), length // 2 + 1)
        values = [rng.choice(numbers) for _ in range(length)]
        if 3 <= len(set(values)) < length - 1:
            return tuple(values)


def integers_with_repetitions(rng: Random, level: int) -> Ints:
    """Integers of which some occur more than once."""
    return repetitive_list(rng, level, -TOPS[level - 1])


def numbers_with_repetitions(rng: Random, level: int) -> Ints:
    """Whole numbers of which some occur more than once."""
    return repetitive_list(rng, level, 0)


@environment(sample=integers_with_repetitions)
def first_occurrences(values: IntList) -> IntList:
    """Remove from the list every entry that equals an entry further left, and keep all others in their order."""
    return tuple(dict.fromkeys(values))


@environment(sample=numbers_with_repetitions)
def odd_count_values(values: NatList) -> IntSet:
    """Collect the numbers that occur an odd number of times in the list."""
    return checked_set([value for value in dict.fromkeys(values) if values.count(value) % 2 == 1])


def overlapping_rows(rng: Random, level: int) -> tuple[Ints, ...]:
    """Rows from a pool of few numbers, some of which then occur in two rows, or twice in one row."""
    rows, longest = (3, 3, 4, 4, 5)[level - 1], (3, 4, 3, 5, 5)[level - 1]
    numbers = rng.sample(range(1, TOPS[level - 1]), rows * longest // 2 + 1)
    return tuple([tuple([rng.choice(numbers) for _ in range(rng.randint(2, longest))]) for _ in range(rows)])


@environment(sample=overlapping_rows)
def values_in_one_row_only(rows: Ragged) -> IntSet:
    """Collect the numbers that occur in exactly one of the inner lists, no matter how often they occur in that one."""
    holders: dict[int, int] = {}
    for row in rows:
        for value in dict.fromkeys(row):
            holders[value] = holders.get(value, 0) + 1
    return checked_set([value for value, count in holders.items() if count == 1])


def set_with_runs(rng: Random, level: int) -> Ints:
    """Plant neighbouring numbers, because those of a random set are far apart."""
    size, runs = (5, 7, 9, 11, 14)[level - 1], (3, 3, 4, 5, 6)[level - 1]
    cuts = sorted(rng.sample(range(1, size), runs - 1))
    number, members = rng.randint(0, TOPS[level - 1]), []
    for i in range(size):
        number += rng.randint(2, 1 + TOPS[level - 1] // 10) if i in cuts else 1
        members.append(number)
    return tuple(members)


@environment(sample=set_with_runs)
def consecutive_runs(members: IntSet) -> IntervalList:
    """Split the set into the longest possible runs of consecutive whole numbers; a member without neighbours is a run
    by itself. For each run, in increasing order, give its smallest and its largest member.
    """
    runs = [list(run) for _, run in groupby(enumerate(members), key=lambda pair: pair[1] - pair[0])]
    if len(runs) > 16:
        raise OutOfDomain("the set has more than 16 runs")
    return tuple([(run[0][1], run[-1][1]) for run in runs])
