"""Hand-worked examples and independent oracles for environments/themes/everyday/measures.py."""

from datetime import timedelta
from fractions import Fraction

Ints = tuple[int, ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "metres_per_second": [
        ("90", '"25/1"'),
        ("-50", '"-125/9"'),
        ("0", '"0/1"'),
        ("7", '"35/18"'),
        ("999983", None),
    ],
    "days_hours_minutes_seconds": [
        ("200000", "[2, 7, 33, 20]"),
        ("0", "[0, 0, 0, 0]"),
        ("86399", "[0, 23, 59, 59]"),
        ("1000000", "[11, 13, 46, 40]"),
    ],
    "largest_tile_square": [("70", "[8, 6]"), ("81", "[9, 0]"), ("80", "[8, 16]"), ("0", "[0, 0]"), ("3", "[1, 2]")],
    "stopping_distances": [
        ("[100, 45, 0, 3]", "[130, 33, 0, 0]"),
        ("[]", "[]"),
        ("[50, 10]", "[40, 4]"),
        ("[10000]", None),
    ],
}


def metres_per_second(x: int, y: Fraction) -> bool:
    """In an hour of 3600 seconds one goes as many thousands of metres as the speed says."""
    return y * 3600 == x * 1000


def days_hours_minutes_seconds(x: int, y: Ints) -> bool:
    days, hours, minutes, seconds = y
    small = hours < 24 and minutes < 60 and seconds < 60
    return small and timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds) == timedelta(seconds=x)


def largest_tile_square(x: int, y: Ints) -> bool:
    """The tiles left over do not make the square one tile wider."""
    side, left = y
    return side * side + left == x and 0 <= left < 2 * side + 1


def stopping_distances(x: Ints, y: Ints) -> bool:
    exact = [3 * tenth + tenth**2 for tenth in (Fraction(value, 10) for value in x)]
    return len(y) == len(x) and all(0 <= distance - whole < 1 for whole, distance in zip(y, exact, strict=True))


ORACLES = {
    "metres_per_second": metres_per_second,
    "days_hours_minutes_seconds": days_hours_minutes_seconds,
    "largest_tile_square": largest_tile_square,
    "stopping_distances": stopping_distances,
}
