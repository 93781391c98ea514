"""Days of the Gregorian calendar: months, weekdays and days counted."""

from calendar import monthrange
from datetime import date, timedelta
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import Date, IntSet, Nat, Word

FIRST_DAY_OF_2025, LAST_DAY = date(2025, 1, 1), date(2299, 12, 31)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = "january february march april may june july august september october november december".split()
SATURDAY = 5  # as date.weekday() counts


@environment()
def next_month_end(day: Date) -> Date:
    """Find the last day of the month that follows the month of the date."""
    year, month = day.year + day.month // 12, day.month % 12 + 1
    if year > LAST_DAY.year:
        raise OutOfDomain("the month after December 2299 lies outside the calendar")
    return date(year, month, monthrange(year, month)[1])


@environment()
def day_of_year(day: Date) -> Nat:
    """Find which day of its year the date is, counting 1 January as day 1."""
    return day.timetuple().tm_yday


def days_of_some_years(rng: Random, level: int) -> int:
    """From a few months to some ten years, because a million days leave the calendar."""
    return rng.randint(20, (100, 360, 800, 1800, 4000)[level - 1])


@environment(sample=days_of_some_years)
def date_after_days(number: Nat) -> Date:
    """Find the date that lies as many days after 1 January 2025 as the number says."""
    if number > (LAST_DAY - FIRST_DAY_OF_2025).days:
        raise OutOfDomain(f"the date {number} days after 1 January 2025 lies after the year 2299")
    return FIRST_DAY_OF_2025 + timedelta(days=number)


@environment()
def weekday_and_month_names(day: Date) -> Word:
    """Write the full English name of the weekday on which the date falls, followed by that of its month, in lowercase
    letters and joined to one word.
    """
    return WEEKDAYS[day.weekday()] + MONTHS[day.month - 1]


@environment()
def weekend_days(day: Date) -> IntSet:
    """Collect the day numbers of all Saturdays and Sundays in the month of the date."""
    first, length = monthrange(day.year, day.month)
    return tuple([number for number in range(1, length + 1) if (first + number - 1) % 7 >= SATURDAY])
