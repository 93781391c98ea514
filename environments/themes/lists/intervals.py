"""Closed intervals of whole numbers: unions, gaps, lengths and overlaps."""

from itertools import combinations
from random import Random

from races.environments import OutOfDomain, environment, values
from races.environments.types import Graph, IntervalList, NatList, PairList

MOST, FARTHEST = 16, 9999  # how many intervals a list has at most, and the largest number in it
Pairs = tuple[tuple[int, int], ...]


def clustered_intervals(rng: Random, level: int) -> Pairs:
    """At least two gaps and at least one overlap, because scattered intervals leave too little to do."""
    count, width = (4, 5, 6, 8, 10)[level - 1], (4, 5, 8, 12, 20)[level - 1]
    while True:
        pairs, gaps, overlaps = [(rng.randint(0, width), rng.randint(width, 2 * width))], 0, 0
        while len(pairs) < count:
            reach = max([right for _, right in pairs])
            left = reach + rng.randint(1, width) if rng.random() < 0.55 else rng.randint(pairs[-1][0], reach)
            gaps += left > reach + 1
            overlaps += left <= reach
            pairs.append((left, left + rng.randint(0, width)))
        if gaps >= 2 and overlaps >= 1:
            return tuple(sorted(pairs))


@environment(sample=clustered_intervals)
def merge_intervals(intervals: IntervalList) -> IntervalList:
    """As long as two intervals of the list share at least one point, be it only an endpoint, replace them by the single
    interval that covers exactly both. Intervals without a common point stay separate, even if no whole number lies
    between them.
    """
    merged: list[tuple[int, int]] = []
    for left, right in intervals:
        if merged and left <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(right, merged[-1][1]))
        else:
            merged.append((left, right))
    return tuple(merged)


@environment(sample=clustered_intervals)
def interval_gaps(intervals: IntervalList) -> IntervalList:
    """Take the whole numbers between the smallest left end and the largest right end that lie in none of the intervals.
    Split them into maximal runs of consecutive numbers, and give for each run the interval from its first to its last
    number.
    """
    if not intervals:
        raise OutOfDomain("without an interval there is no smallest left end")
    gaps, reach = [], intervals[0][1]
    for left, right in intervals:
        if left > reach + 1:
            gaps.append((reach + 1, left - 1))
        reach = max(reach, right)
    return tuple(gaps)


@environment()
def interval_lengths(intervals: IntervalList) -> NatList:
    """List the length of each interval in the order of the list, the length being the right end minus the left end."""
    return tuple([right - left for left, right in intervals])


def partly_overlapping_intervals(rng: Random, level: int) -> Pairs:
    """At least four intervals with some common points, but not all with all, so that the graph is worth drawing."""
    count = (4, 5, 6, 7, 9)[level - 1]
    while True:
        lefts = [rng.randint(0, 4 * count) for _ in range(count)]
        pairs = sorted([(left, left + rng.randint(1, 2 * count)) for left in lefts])
        meeting = sum([second[0] <= first[1] for first, second in combinations(pairs, 2)])
        if 3 <= meeting <= 2 * count and meeting < count * (count - 1) // 2:
            return tuple(pairs)


@environment(sample=partly_overlapping_intervals, grade="course")
def interval_overlap_graph(intervals: IntervalList) -> Graph:
    """Build the graph with one vertex for each interval, numbered from 0 in the order of the list. Join two vertices by
    an edge if their intervals share at least one point, be it only an endpoint.
    """
    if not 1 <= len(intervals) <= 12:
        raise OutOfDomain(f"a graph has 1 to 12 vertices, but there are {len(intervals)} intervals")
    pairs = combinations(enumerate(intervals), 2)
    return values.graph(len(intervals), [(i, j) for (i, first), (j, second) in pairs if second[0] <= first[1]])


@environment()
def booking_intervals(bookings: PairList) -> IntervalList:
    """Each pair of the list gives the start of a booking and its duration. Give the interval from start to end of every
    booking, the end being the start plus the duration; sort the intervals by start and then by end.
    """
    if len(bookings) > MOST:
        raise OutOfDomain(f"more than {MOST} bookings are too many intervals")
    if any([start < 0 or duration < 0 for start, duration in bookings]):
        raise OutOfDomain("a start or a duration is negative")
    if any([start + duration > FARTHEST for start, duration in bookings]):
        raise OutOfDomain(f"a booking ends after {FARTHEST}")
    return tuple(sorted([(start, start + duration) for start, duration in bookings]))
