"""Lists of lists and of pairs: handing entries on, cutting them anew."""

from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import NatList, PairList, Ragged

BIG = 1_000_000


@environment()
def first_entries_passed_up(rows: Ragged) -> Ragged:
    """Take the first entry out of every inner list that has one, all at the same time. Append each of them to the inner
    list directly before the one it came from, and the one that came from the first inner list to the last.
    """
    result = [list(row[1:]) for row in rows]
    for place, row in enumerate(rows):
        result[place - 1] += row[:1]
    return tuple([tuple(row) for row in result])


@environment()
def entries_in_threes(rows: Ragged) -> Ragged:
    """Write all entries of the inner lists in one row, list after list. Cut this row from the left into lists of three
    entries; one or two entries left over at the end form a last list.
    """
    entries = [entry for row in rows for entry in row]
    if len(entries) > 120:
        raise OutOfDomain("there would be more than 40 lists")
    return tuple([tuple(entries[start : start + 3]) for start in range(0, len(entries), 3)])


def lift_stops(rng: Random, level: int) -> tuple[tuple[int, ...], ...]:
    """Routes of several stops each, because a lift with one stop does not travel."""
    top = (9, 12, 20, 30, 60)[level - 1]
    longest = (3, 3, 4, 4, 5)[level - 1]
    return tuple([tuple([rng.randint(0, top) for _ in range(rng.randint(2, longest))]) for _ in range(level + 2)])


@environment(sample=lift_stops)
def lift_travel(rows: Ragged) -> NatList:
    """Each inner list names the floors at which a lift stops, one after another. For each inner list, in order, find
    how far the lift travels: add up the distances, all counted as positive, between consecutive floors; without any
    two of them the sum is 0.
    """
    travels = [sum([abs(row[i] - row[i - 1]) for i in range(1, len(row))]) for row in rows]
    if max(travels, default=0) > BIG:
        raise OutOfDomain(f"a sum goes beyond {BIG}")
    return tuple(travels)


@environment()
def pairs_cut_one_later(pairs: PairList) -> PairList:
    """Write the numbers of all pairs in one row, pair after pair. Move the first number of this row to its end, and
    then cut the row from the left into pairs again.
    """
    seconds, firsts = [second for _, second in pairs], [first for first, _ in pairs]
    return tuple(zip(seconds, firsts[1:] + firsts[:1], strict=True))


@environment()
def sums_and_differences(pairs: PairList) -> PairList:
    """Replace each pair of the list by a new pair: the sum of its two numbers, and then its first number minus its
    second number.
    """
    if any([max(abs(a + b), abs(a - b)) > BIG for a, b in pairs]):
        raise OutOfDomain(f"a number goes beyond {BIG}")
    return tuple([(a + b, a - b) for a, b in pairs])
