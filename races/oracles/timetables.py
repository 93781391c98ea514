"""Hand-worked examples and independent oracles for environments/themes/everyday/timetables.py."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import numpy as np

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "machine_job_finish_time": [
        ('"09:10"', '"14:10"'),
        ('"15:30"', '"21:30"'),  # 2:30 until 18:00, 2:30 from 19:00
        ('"04:00"', '"11:00"'),  # 2:00 until 06:00, 3:00 from 08:00
        ('"06:00"', '"13:00"'),
        ('"08:00"', '"13:00"'),
        ('"13:00"', '"18:00"'),
        ('"13:01"', '"19:01"'),
        ('"01:00"', '"06:00"'),
        ('"18:59"', '"00:00"'),
        ('"23:00"', '"04:00"'),
    ],
    "fast_clock_reading": [
        ('"12:00"', '"13:00"'),
        ('"07:30"', '"08:07"'),  # 37.5 minutes gained
        ('"00:11"', '"00:11"'),
        ('"00:00"', '"00:00"'),
        ('"23:59"', '"01:58"'),  # 119 11/12 minutes gained
    ],
    "spoken_time": [
        ('"07:00"', '"seven o\'clock"'),
        ('"00:15"', '"quarter past twelve"'),
        ('"18:30"', '"half past six"'),
        ('"12:31"', '"twenty-nine to one"'),
        ('"23:45"', '"quarter to twelve"'),
        ('"09:20"', '"twenty past nine"'),
        ('"13:50"', '"ten to two"'),
        ('"00:00"', '"twelve o\'clock"'),
        ('"05:21"', '"twenty-one past five"'),
    ],
    "lesson_intervals": [
        ('"08:00"', "[[480, 525], [530, 575], [595, 640], [645, 690]]"),
        ('"00:00"', "[[0, 45], [50, 95], [115, 160], [165, 210]]"),
        ('"23:59"', "[[1439, 1484], [1489, 1534], [1554, 1599], [1604, 1649]]"),
    ],
    "binary_clock_grid": [
        ('"18:47"', "[[0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0, 1]]"),
        ('"00:00"', "[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]"),
        ('"23:59"', "[[0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 0, 0], [0, 1, 1, 1]]"),
    ],
    "end_of_work": [
        ("[60, 61, 30]", '"10:21"'),  # 08:30, 08:35, 09:36, 09:51, 10:21
        ("[90]", '"09:00"'),
        ("[0]", '"07:30"'),
        ("[500, 480]", '"00:05"'),  # 15:50, 16:05, 00:05
        ("[]", None),
    ],
}
Time = tuple[int, int]
MIDNIGHT = datetime(2025, 1, 1, tzinfo=UTC)


def machine_job_finish_time(x: Time, y: Time) -> bool:
    """Run the machine minute by minute."""
    now, left = 60 * x[0] + x[1], 300
    while left:
        left -= now // 60 % 24 not in (6, 7, 18)
        now += 1
    return y == (now // 60 % 24, now % 60)


def fast_clock_reading(x: Time, y: Time) -> bool:
    shown = Fraction(60 * x[0] + x[1]) * Fraction(65, 60) % 1440
    return 60 * y[0] + y[1] <= shown < 60 * y[0] + y[1] + 1


def spoken_time(x: Time, y: str) -> bool:
    """Read the words back; the half of the day is not said."""
    ones = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen quarter sixteen"
    names = [*ones.split(), "seventeen", "eighteen", "nineteen", "twenty"]
    names += [f"twenty-{names[one]}" for one in range(1, 10)] + ["half"]
    minutes, *middle, hour = y.split(" ")
    if hour == "o'clock":
        return x[1] == 0 and names.index(minutes) == (x[0] % 12 or 12)
    said = 60 * names.index(hour) + {"past": 1, "to": -1}[middle[0]] * names.index(minutes)
    fits = middle == (["past"] if 0 < x[1] <= 30 else ["to"]) and 0 < names.index(hour) <= 12
    return fits and said % 720 == (60 * x[0] + x[1]) % 720


def lesson_intervals(x: Time, y: tuple[tuple[int, int], ...]) -> bool:
    clock, lessons = MIDNIGHT.replace(hour=x[0], minute=x[1]), []
    for pause in (5, 20, 5, 0):
        end = clock + timedelta(minutes=45)
        lessons.append(((clock - MIDNIGHT) // timedelta(minutes=1), (end - MIDNIGHT) // timedelta(minutes=1)))
        clock = end + timedelta(minutes=pause)
    return list(y) == lessons


def binary_clock_grid(x: Time, y: tuple[tuple[int, ...], ...]) -> bool:
    """Read the columns back from base two."""
    digits = np.array([8, 4, 2, 1]) @ np.array(y)
    return len(y) == 4 and digits.tolist() == [int(digit) for digit in f"{x[0]:02}{x[1]:02}"]


def end_of_work(x: tuple[int, ...], y: Time) -> bool:
    clock = MIDNIGHT.replace(hour=7, minute=30)
    for place, period in enumerate(x):
        clock += timedelta(minutes=period)
        if place < len(x) - 1:
            clock += timedelta(minutes=15 if period > 60 else 5)
    return y == (clock.hour, clock.minute)


ORACLES = {
    "machine_job_finish_time": machine_job_finish_time,
    "fast_clock_reading": fast_clock_reading,
    "spoken_time": spoken_time,
    "lesson_intervals": lesson_intervals,
    "binary_clock_grid": binary_clock_grid,
    "end_of_work": end_of_work,
}
