"""Hand-worked examples and independent oracles for environments/themes/everyday/calendars.py."""

import calendar
from datetime import date

import numpy as np

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "four_week_calendar": [
        ('"2025-05-20"', "[[19, 20, 21, 22, 23], [26, 27, 28, 29, 30], [2, 3, 4, 5, 6], [9, 10, 11, 12, 13]]"),
        ('"2024-02-25"', "[[19, 20, 21, 22, 23], [26, 27, 28, 29, 1], [4, 5, 6, 7, 8], [11, 12, 13, 14, 15]]"),
        ('"2025-09-01"', "[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12], [15, 16, 17, 18, 19], [22, 23, 24, 25, 26]]"),
        ('"2299-12-31"', "[[25, 26, 27, 28, 29], [1, 2, 3, 4, 5], [8, 9, 10, 11, 12], [15, 16, 17, 18, 19]]"),
    ],
    "weeks_of_month": [
        ('"2025-05-20"', "[[1, 4], [5, 11], [12, 18], [19, 25], [26, 31]]"),
        ('"2027-02-10"', "[[1, 7], [8, 14], [15, 21], [22, 28]]"),
        ('"2025-06-01"', "[[1, 1], [2, 8], [9, 15], [16, 22], [23, 29], [30, 30]]"),
    ],
    "date_mirrored_within_month": [
        ('"2025-05-20"', '"2025-05-12"'),
        ('"2024-02-29"', '"2024-02-01"'),
        ('"2025-07-16"', '"2025-07-16"'),
    ],
    "date_seven_months_later": [
        ('"2025-05-20"', '"2025-12-20"'),
        ('"2027-07-31"', '"2028-02-29"'),
        ('"2025-11-30"', '"2026-06-30"'),
        ('"2025-08-31"', '"2026-03-31"'),
        ('"2299-06-01"', None),
    ],
    "spelled_out_date": [
        ('"2025-01-01"', '"wednesday 1 january 2025"'),
        ('"2000-02-29"', '"tuesday 29 february 2000"'),
        ('"1900-01-01"', '"monday 1 january 1900"'),
    ],
    "date_avoiding_sundays": [
        ("[6, 5, 6]", '"2024-01-19"'),  # Sunday 7, so Monday 8; Saturday 13; Friday 19
        ("[6, 6, 40]", '"2024-02-24"'),  # 8 January; Sunday 14, so 15 January; Saturday 24 February
        ("[0, 0]", '"2024-01-01"'),
        ("[]", '"2024-01-01"'),
        ("[1000000]", None),
    ],
}
Pairs = tuple[tuple[int, int], ...]


def four_week_calendar(x: date, y: tuple[tuple[int, ...], ...]) -> bool:
    """The ISO calendar names the days of the weeks."""
    year, week, _ = x.isocalendar()
    mondays = date.fromisocalendar(year, week, 1).toordinal() + 7 * np.arange(4)
    sheet = [[date.fromordinal(int(monday) + place).day for place in range(5)] for monday in mondays]
    return [list(row) for row in y] == sheet


def weeks_of_month(x: date, y: Pairs) -> bool:
    weeks = [list(filter(None, week)) for week in calendar.Calendar().monthdayscalendar(x.year, x.month)]
    return list(y) == [(week[0], week[-1]) for week in weeks]


def date_mirrored_within_month(x: date, y: date) -> bool:
    """The distances to the two ends of the month, counted by numpy, change places."""
    first = np.datetime64(x, "M").astype("datetime64[D]")
    last = (np.datetime64(x, "M") + 1).astype("datetime64[D]") - 1
    return bool(np.datetime64(x) - first == last - np.datetime64(y))


def date_seven_months_later(x: date, y: date) -> bool:
    """Of the days of the seventh month after, counted by numpy, the last one whose number is not too large."""
    month = np.datetime64(x, "M") + 7
    days = np.arange(month.astype("datetime64[D]"), (month + 1).astype("datetime64[D]"))
    return bool(days[: x.day][-1] == np.datetime64(y))


def spelled_out_date(x: date, y: str) -> bool:
    return y == x.strftime("%A %d %B %Y").lower().replace(" 0", " ")


def date_avoiding_sundays(x: tuple[int, ...], y: date) -> bool:
    """The days of each jump, and of a move from Sunday to Monday, are added with numpy."""
    day = np.datetime64("2024-01-01")
    for jump in x:
        day = np.busday_offset(day + jump, 0, roll="forward", weekmask="Mon Tue Wed Thu Fri Sat")
    return day == np.datetime64(y)


ORACLES = {
    "four_week_calendar": four_week_calendar,
    "weeks_of_month": weeks_of_month,
    "date_mirrored_within_month": date_mirrored_within_month,
    "date_seven_months_later": date_seven_months_later,
    "spelled_out_date": spelled_out_date,
    "date_avoiding_sundays": date_avoiding_sundays,
}
