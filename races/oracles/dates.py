"""Hand-worked examples and independent oracles for environments/themes/everyday/dates.py."""

import calendar
from datetime import date

import numpy as np

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "next_month_end": [
        ('"2025-03-10"', '"2025-04-30"'),
        ('"2024-01-31"', '"2024-02-29"'),
        ('"2100-01-05"', '"2100-02-28"'),
        ('"2030-12-31"', '"2031-01-31"'),
        ('"2299-12-01"', None),
    ],
    "day_of_year": [
        ('"2025-03-01"', "60"),
        ('"2024-03-01"', "61"),
        ('"2024-12-31"', "366"),
        ('"1900-12-31"', "365"),
        ('"2031-01-01"', "1"),
    ],
    "date_after_days": [
        ("0", '"2025-01-01"'),
        ("31", '"2025-02-01"'),
        ("365", '"2026-01-01"'),
        ("1154", '"2028-02-29"'),
        ("100440", '"2299-12-31"'),
        ("100441", None),
    ],
    "weekday_and_month_names": [
        ('"2025-01-01"', '"wednesdayjanuary"'),
        ('"2000-02-29"', '"tuesdayfebruary"'),
        ('"1900-12-31"', '"mondaydecember"'),
    ],
    "weekend_days": [
        ('"2025-06-20"', "[1, 7, 8, 14, 15, 21, 22, 28, 29]"),
        ('"2027-02-01"', "[6, 7, 13, 14, 20, 21, 27, 28]"),
        ('"2025-03-31"', "[1, 2, 8, 9, 15, 16, 22, 23, 29, 30]"),
    ],
}


def next_month_end(x: date, y: date) -> bool:
    return bool((np.datetime64(x, "M") + 2).astype("datetime64[D]") - 1 == np.datetime64(y))


def day_of_year(x: date, y: int) -> bool:
    return y == sum(calendar.monthrange(x.year, month)[1] for month in range(1, x.month)) + x.day


def date_after_days(x: int, y: date) -> bool:
    return bool(np.datetime64("2025-01-01") + x == np.datetime64(y))


def weekday_and_month_names(x: date, y: str) -> bool:
    """Zeller's congruence, and the month's name in the C locale."""
    year, month = (x.year - 1, x.month + 12) if x.month < 3 else (x.year, x.month)
    h = (x.day + 13 * (month + 1) // 5 + year + year // 4 - year // 100 + year // 400) % 7
    weekday = ["saturday", "sunday", "monday", "tuesday", "wednesday", "thursday", "friday"][h]
    return y == weekday + calendar.month_name[x.month].lower()


def weekend_days(x: date, y: tuple[int, ...]) -> bool:
    weeks = calendar.Calendar(firstweekday=0).monthdayscalendar(x.year, x.month)
    return list(y) == sorted(day for week in weeks for day in week[5:] if day)


ORACLES = {
    "next_month_end": next_month_end,
    "day_of_year": day_of_year,
    "date_after_days": date_after_days,
    "weekday_and_month_names": weekday_and_month_names,
    "weekend_days": weekend_days,
}
