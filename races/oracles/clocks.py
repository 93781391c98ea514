"""Hand-worked examples and independent oracles for environments/themes/everyday/clocks.py."""

from datetime import datetime, timedelta
from fractions import Fraction

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "next_bus_time": [
        ('"07:12"', '"07:25"'),
        ('"07:25"', '"07:50"'),
        ('"09:00"', '"09:10"'),
        ('"14:50"', '"15:10"'),
        ('"23:59"', '"00:10"'),
    ],
    "time_across_noon": [
        ('"09:30"', '"14:30"'),
        ('"23:59"', '"00:01"'),
        ('"12:00"', '"12:00"'),
        ('"00:00"', '"00:00"'),
        ('"16:45"', '"07:15"'),
    ],
    "minutes_since_midnight": [('"00:00"', "0"), ('"01:05"', "65"), ('"23:59"', "1439")],
    "clock_time_after_minutes": [("0", '"00:00"'), ("135", '"02:15"'), ("1440", '"00:00"'), ("3000", '"02:00"')],
    "clock_hands_angle": [
        ('"03:00"', '"90/1"'),
        ('"12:30"', '"165/1"'),
        ('"00:00"', '"0/1"'),
        ('"18:00"', '"180/1"'),
        ('"09:05"', '"235/2"'),
        ('"11:59"', '"11/2"'),
    ],
}
Time = tuple[int, int]


def _moment(time: Time) -> datetime:
    return datetime(2025, 6, 1, *time)  # noqa: DTZ001  # a clock on the wall has no zone


def next_bus_time(x: Time, y: Time) -> bool:
    moment = _moment(x) + timedelta(minutes=1)
    while moment.minute not in (10, 25, 50):
        moment += timedelta(minutes=1)
    return (moment.hour, moment.minute) == y


def time_across_noon(x: Time, y: Time) -> bool:
    there = _moment((12, 0)) - _moment(x)
    moment = _moment((12, 0)) + there
    return (moment.hour, moment.minute) == y


def minutes_since_midnight(x: Time, y: int) -> bool:
    return _moment(x) - _moment((0, 0)) == timedelta(minutes=y)


def clock_time_after_minutes(x: int, y: Time) -> bool:
    moment = _moment((0, 0)) + timedelta(minutes=x)
    return (moment.hour, moment.minute) == y


def clock_hands_angle(x: Time, y: Fraction) -> bool:
    hour_hand, minute_hand = 30 * Fraction(x[0]) + Fraction(x[1], 2), Fraction(6 * x[1])
    return 0 <= y <= 180 and any((hour_hand - minute_hand - sign * y) % 360 == 0 for sign in (1, -1))


ORACLES = {
    "next_bus_time": next_bus_time,
    "time_across_noon": time_across_noon,
    "minutes_since_midnight": minutes_since_midnight,
    "clock_time_after_minutes": clock_time_after_minutes,
    "clock_hands_angle": clock_hands_angle,
}
