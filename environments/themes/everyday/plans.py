"""Plans: who is served when, which task runs when, and charts of it."""

from graphlib import TopologicalSorter
from itertools import chain
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import DAG, BoolGrid, IntervalList, NatList, PairList

MOST, FARTHEST = 16, 9999  # how many intervals a list has at most, and the largest number in it
Pairs = tuple[tuple[int, int], ...]


def customers(rng: Random, level: int) -> Pairs:
    """Arrivals at different times, not in order, some while another customer is served."""
    count, longest = ((3, 5), (4, 8), (5, 12), (6, 20), (8, 30))[level - 1]
    arrivals = rng.sample(range(1, count * longest * 2 // 3), count)
    return tuple([(arrival, rng.randint(1, longest)) for arrival in arrivals])


@environment(sample=customers)
def service_intervals(visits: PairList) -> IntervalList:
    """Each pair gives a customer's time of arrival and duration of service. One clerk serves the customers one after
    another in order of arrival, those with equal arrivals in list order, each as early as possible. Give the interval
    from start to end of each service, in this order.
    """
    if len(visits) > MOST:
        raise OutOfDomain(f"more than {MOST} visits are too many intervals")
    if any([arrival < 0 or duration < 0 for arrival, duration in visits]):
        raise OutOfDomain("a time or a duration is negative")
    served, free = [], 0
    for arrival, duration in sorted(visits, key=lambda visit: visit[0]):
        start = max(free, arrival)
        free = start + duration
        served.append((start, free))
    if free > FARTHEST:
        raise OutOfDomain(f"the last service ends after {FARTHEST}")
    return tuple(served)


def durations_for_two(rng: Random, level: int) -> tuple[int, ...]:
    """Not more tasks than a list of intervals should have, and unequal ones."""
    count, longest = ((4, 6), (5, 9), (6, 15), (8, 30), (10, 60))[level - 1]
    return tuple([rng.randint(1, longest) for _ in range(count)])


@environment(sample=durations_for_two)
def tasks_of_two_workers(durations: NatList) -> IntervalList:
    """The entries of the list are durations of tasks. Two workers start at time 0 and take the tasks in list order:
    whenever a worker is free, that worker begins the next task. Give the interval from start to end of every task,
    sorted by start, then end.
    """
    if len(durations) > MOST:
        raise OutOfDomain(f"more than {MOST} tasks are too many intervals")
    tasks, sooner, later = [], 0, 0
    for duration in durations:
        tasks.append((sooner, sooner + duration))
        sooner, later = sorted((sooner + duration, later))
    if later > FARTHEST:
        raise OutOfDomain(f"the last task ends after {FARTHEST}")
    return tuple(sorted(tasks))


@environment()
def earliest_schedule(tasks: DAG) -> IntervalList:
    """Each vertex v of the graph is a task that takes v + 1 hours. It starts once all tasks with an arc to it have
    ended, at hour 0 if there are none. Give the interval from start to end of every task, sorted by start, then end.
    """
    before = tasks.predecessors()
    ends = [0] * tasks.n
    for task in TopologicalSorter(dict(enumerate(before))).static_order():
        ends[task] = max([ends[earlier] for earlier in before[task]], default=0) + task + 1
    return tuple(sorted([(end - task - 1, end) for task, end in enumerate(ends)]))


def intervals_with_common_ends(rng: Random, level: int) -> Pairs:
    """At most eight different ends, so that the chart does not become too wide."""
    count, ends, top = ((3, 4, 15), (4, 5, 25), (5, 6, 40), (6, 7, 70), (7, 8, 120))[level - 1]
    numbers = sorted(rng.sample(range(top), ends))
    pairs = [(first, second) for i, first in enumerate(numbers) for second in numbers[i + 1 :]]
    return tuple(sorted(rng.sample(pairs, count)))


@environment(sample=intervals_with_common_ends)
def interval_chart(intervals: IntervalList) -> BoolGrid:
    """Draw a grid with one row for each interval, in list order, and one column for each different number that is an
    end of an interval, in increasing order. Put 1 where the column's number lies in the row's interval or is an end of
    it, otherwise 0.
    """
    ends = sorted(set(chain(*intervals)))
    if not 1 <= len(intervals) <= 12 or len(ends) > 12:
        raise OutOfDomain("a grid has from 1 to 12 rows and columns")
    return tuple([tuple([int(left <= end <= right) for end in ends]) for left, right in intervals])
