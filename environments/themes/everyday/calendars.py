"""Calendars: the weeks of a month, dates counted by months, dates said and dates reached."""

from calendar import monthrange
from datetime import date, timedelta
from itertools import pairwise
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import Date, IntervalList, IntMatrix, NatList, Text

FIRST_MONDAY, LAST_DAY = date(2024, 1, 1), date(2299, 12, 31)
SUNDAY = 6  # as date.weekday() counts
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = "january february march april may june july august september october november december".split()


@environment()
def four_week_calendar(day: Date) -> IntMatrix:
    """Weeks begin on Monday. Write the week of the date and the three weeks after it as a matrix: one row for each
    week, in order, and five columns for the days from Monday to Friday. Each entry is the number of the day in its
    month.
    """
    monday = day - timedelta(days=day.weekday())
    return tuple([tuple([(monday + timedelta(days=7 * week + place)).day for place in range(5)]) for week in range(4)])


@environment()
def weeks_of_month(day: Date) -> IntervalList:
    """Split the month of the date into weeks from Monday to Sunday, of which the first and the last may be cut short by
    the ends of the month. Give for each week, in order, the interval from its first to its last day of the month.
    """
    before, length = monthrange(day.year, day.month)
    starts = [1, *range(8 - before, length + 1, 7), length + 1]
    return tuple([(start, following - 1) for start, following in pairwise(starts)])


@environment()
def date_mirrored_within_month(day: Date) -> Date:
    """Find the day in the month of the date that lies as many days before the last day of this month as the date lies
    after the first day of this month.
    """
    return day.replace(day=monthrange(day.year, day.month)[1] + 1 - day.day)


@environment()
def date_seven_months_later(day: Date) -> Date:
    """Find the date in the seventh month after the month of the date that has the same day of the month. If that month
    is too short to have such a day, take its last day.
    """
    years, month = divmod(day.month - 1 + 7, 12)
    year = day.year + years
    if year > LAST_DAY.year:
        raise OutOfDomain("the date seven months later lies after the year 2299")
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


@environment()
def spelled_out_date(day: Date) -> Text:
    """Write the date as its day of the week, its day of the month, its month and its year, in this order and with
    single spaces between them. Use lowercase English names for the day of the week and the month, and digits without
    leading zeros for the other two.
    """
    return f"{WEEKDAYS[day.weekday()]} {day.day} {MONTHS[day.month - 1]} {day.year}"


def jumps_of_some_days(rng: Random, level: int) -> tuple[int, ...]:
    """Short jumps, an early one of full weeks less a day, so that Sundays are met."""
    count, longest = ((3, 9), (4, 15), (5, 25), (6, 40), (8, 60))[level - 1]
    jumps = [rng.randint(1, longest) for _ in range(count - 1)]
    jumps.insert(rng.randint(0, 1), 7 * rng.randint(1, 1 + level) - 1)
    return tuple(jumps)


@environment(sample=jumps_of_some_days)
def date_avoiding_sundays(jumps: NatList) -> Date:
    """Start on Monday, 1 January 2024. For each entry of the list, in order, go forward by as many days as it says, and
    whenever this leads to a Sunday, go on to the Monday right after it. Find the date reached in the end.
    """
    days = 0
    for jump in jumps:
        days += jump
        days += days % 7 == SUNDAY
    if days > (LAST_DAY - FIRST_MONDAY).days:
        raise OutOfDomain("the date reached lies after the year 2299")
    return FIRST_MONDAY + timedelta(days=days)
