"""Tasks, jobs and working days put in order."""

from datetime import date, timedelta
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import Date, IntervalList, NatList, PairList, Permutation

LAST_DAY = date(2299, 12, 31)
MOST, FARTHEST = 16, 9999  # how many intervals a list has at most, and the largest number in it
SATURDAY = 5  # as date.weekday() counts
PAUSE = 5


@environment()
def third_working_day(day: Date) -> Date:
    """Find the third working day that comes after the date, which itself does not count. Working days are all days from
    Monday to Friday.
    """
    for _ in range(3):
        day += timedelta(days=1)
        while day.weekday() >= SATURDAY:
            day += timedelta(days=1)
    if day > LAST_DAY:
        raise OutOfDomain("the third working day lies after the year 2299")
    return day


def some_durations(rng: Random, level: int) -> tuple[int, ...]:
    """Not more tasks than a list of intervals should have."""
    return tuple([rng.randint(1, (10, 20, 40, 90, 200)[level - 1]) for _ in range((3, 4, 6, 8, 10)[level - 1])])


@environment(sample=some_durations)
def consecutive_tasks(durations: NatList) -> IntervalList:
    """The entries of the list are the durations of tasks in the order in which they are done. The first task starts at
    time 0, and each later one starts 5 after the end of the one before it. Give the interval from start to end of every
    task.
    """
    if len(durations) > MOST:
        raise OutOfDomain(f"more than {MOST} tasks are too many intervals")
    tasks, start = [], 0
    for duration in durations:
        tasks.append((start, start + duration))
        start += duration + PAUSE
    if tasks and tasks[-1][1] > FARTHEST:
        raise OutOfDomain(f"the last task ends after {FARTHEST}")
    return tuple(tasks)


def jobs_with_common_deadlines(rng: Random, level: int) -> tuple[tuple[int, int], ...]:
    """Durations and deadlines from small ranges, so that ties have to be broken."""
    count, longest = (4, 5, 6, 8, 10)[level - 1], (5, 6, 9, 12, 20)[level - 1]
    deadlines = rng.sample(range(longest, 5 * longest), count - count // 3)
    return tuple([(rng.randint(1, longest), rng.choice(deadlines)) for _ in range(count)])


@environment(sample=jobs_with_common_deadlines)
def jobs_by_deadline(jobs: PairList) -> Permutation:
    """Each pair of the list gives the duration and the deadline of a job; the jobs are numbered from 0 in list order.
    List the job numbers by increasing deadline, among equal deadlines the shorter duration first, and among equal pairs
    the smaller number first.
    """
    if not 1 <= len(jobs) <= 12:
        raise OutOfDomain(f"a permutation has 1 to 12 entries, but there are {len(jobs)} jobs")
    ordered = sorted([(deadline, duration, number) for number, (duration, deadline) in enumerate(jobs)])
    return tuple([number for _, _, number in ordered])
