"""Times of day: machines and lessons with breaks, clocks that run fast, times said and shown."""

from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import BoolGrid, IntervalList, NatList, Text, TimeOfDay

DAY = 24 * 60  # minutes
CLEANING = ((360, 480), (1080, 1140), (1800, 1920))  # from 06:00 and from 18:00, and from 06:00 on the next day
JOB = 5 * 60
LESSON, LESSON_STARTS = 45, (0, 50, 115, 165)  # minutes after the first one starts
SHIFT_START = 7 * 60 + 30
HOURS = "twelve one two three four five six seven eight nine ten eleven".split()
TEENS = "ten eleven twelve thirteen fourteen quarter sixteen seventeen eighteen nineteen twenty".split()


@environment()
def machine_job_finish_time(time: TimeOfDay) -> TimeOfDay:
    """A machine runs day and night, except for cleaning from 06:00 to 08:00 and from 18:00 to 19:00. A job that arrives
    at the time is done whenever the machine runs from then on and needs five hours of running altogether. Find the time
    at which it is finished.
    """
    now, left = 60 * time[0] + time[1], JOB
    for begin, end in CLEANING:
        if end <= now:
            continue
        if left <= begin - now:
            break
        left -= max(0, begin - now)
        now = end
    return divmod((now + left) % DAY, 60)


@environment()
def fast_clock_reading(time: TimeOfDay) -> TimeOfDay:
    """A 24-hour clock was right at midnight, when the day began, but since then it has run fast and evenly gained five
    minutes in every hour. Find what it shows when the time is really reached, dropping any part of a minute. After
    23:59 it goes on with 00:00.
    """
    minutes = 60 * time[0] + time[1]
    return divmod((minutes + minutes // 12) % DAY, 60)


def spoken_minutes(minutes: int) -> str:
    """The name of a number of minutes from 1 to 30."""
    if minutes == 30:
        return "half"
    if minutes < 10:
        return HOURS[minutes]
    return TEENS[minutes - 10] if minutes <= 20 else f"twenty-{HOURS[minutes - 20]}"


@environment()
def spoken_time(time: TimeOfDay) -> Text:
    """Say the time on the twelve-hour clock in lowercase words: at minute 0 the hour and o'clock, up to 30 the minutes,
    past and the hour, later the minutes missing, to and the next hour. Say quarter for 15, half for 30, hyphenate
    numbers above twenty, omit the word minutes.
    """
    hour, minute = time
    if minute == 0:
        return f"{HOURS[hour % 12]} o'clock"
    if minute <= 30:
        return f"{spoken_minutes(minute)} past {HOURS[hour % 12]}"
    return f"{spoken_minutes(60 - minute)} to {HOURS[(hour + 1) % 12]}"


@environment()
def lesson_intervals(time: TimeOfDay) -> IntervalList:
    """The first of four lessons of 45 minutes each begins at the time. Breaks of 5 minutes follow the first and third
    lesson, one of 20 minutes follows the second. Give the interval from start to end of each lesson in minutes after
    the midnight that began the day.
    """
    first = 60 * time[0] + time[1]
    return tuple([(first + start, first + start + LESSON) for start in LESSON_STARTS])


@environment()
def binary_clock_grid(time: TimeOfDay) -> BoolGrid:
    """Write each of the four digits of the time, two for the hour and two for the minute, in base two as a column of
    four bits with the ones place at the bottom. Put the columns side by side, from left to right in the order of the
    digits.
    """
    digits = (*divmod(time[0], 10), *divmod(time[1], 10))
    return tuple([tuple([digit // place % 2 for digit in digits]) for place in (8, 4, 2, 1)])


def working_periods(rng: Random, level: int) -> tuple[int, ...]:
    """Periods shorter and longer than an hour, in round numbers at the lower levels."""
    count, unit = ((3, 15), (4, 10), (4, 5), (5, 5), (6, 1))[level - 1]
    return tuple([unit * rng.randint(20 // unit + 1, 150 // unit) for _ in range(count)])


@environment(sample=working_periods)
def end_of_work(periods: NatList) -> TimeOfDay:
    """Work starts at 07:30. The entries of the list are the lengths of the working periods in minutes. Each period
    except the last is followed by a break, of 15 minutes after a period longer than 60, otherwise of 5 minutes. Find
    the time at which the last period ends.
    """
    if not periods:
        raise OutOfDomain("without a period there is no last one")
    breaks = sum([15 if period > 60 else 5 for period in periods[:-1]])
    return divmod((SHIFT_START + sum(periods) + breaks) % DAY, 60)
