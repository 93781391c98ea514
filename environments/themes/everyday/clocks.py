"""Times of day: minutes counted, clocks read and departures looked up."""

from fractions import Fraction
from random import Random

from races.environments import environment
from races.environments.types import Nat, Rational, TimeOfDay

DAY = 24 * 60  # minutes
DEPARTURES = (10, 25, 50)  # minutes after every full hour


@environment()
def next_bus_time(time: TimeOfDay) -> TimeOfDay:
    """Buses leave 10, 25 and 50 minutes after every full hour, day and night. Find the departure time of the first bus
    that leaves strictly later than the time, if necessary on the next day.
    """
    hour, minute = time
    for departure in DEPARTURES:
        if departure > minute:
            return hour, departure
    return (hour + 1) % 24, DEPARTURES[0]


@environment()
def time_across_noon(time: TimeOfDay) -> TimeOfDay:
    """Find the time of day that is as far from noon as the time, but on the other side of noon. Noon and midnight stay
    as they are.
    """
    hour, minute = time
    return divmod(-(60 * hour + minute) % DAY, 60)


@environment()
def minutes_since_midnight(time: TimeOfDay) -> Nat:
    """Count the minutes that have passed at the time since the day began at midnight."""
    hour, minute = time
    return 60 * hour + minute


def minutes_of_some_days(rng: Random, level: int) -> int:
    """From a few hours to some weeks."""
    return rng.randint(61, (700, 1400, 5000, 15_000, 60_000)[level - 1])


@environment(sample=minutes_of_some_days)
def clock_time_after_minutes(number: Nat) -> TimeOfDay:
    """Find the time that a 24-hour clock shows when as many minutes as the number says have passed since a midnight.
    After each full day the clock starts again.
    """
    return divmod(number % DAY, 60)


@environment()
def clock_hands_angle(time: TimeOfDay) -> Rational:
    """A clock has a twelve-hour dial, and both its hands move evenly. Find the angle between the hour hand and the
    minute hand at the time, in degrees, taking the smaller of the two possible angles.
    """
    hour, minute = time
    half_degrees = abs(60 * (hour % 12) - 11 * minute)
    return Fraction(min(half_degrees, 720 - half_degrees), 2)
