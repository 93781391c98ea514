"""Hand-worked examples and independent oracles for environments/themes/everyday/units.py."""

from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "fahrenheit_to_celsius": [
        ("100", '"340/9"'),
        ("-40", '"-40/1"'),
        ("32", '"0/1"'),
        ("0", '"-160/9"'),
        ("1000000", None),
    ],
    "hours_and_minutes": [
        ('"22/7"', "[3, 8]"),
        ('"1/61"', "[0, 0]"),
        ('"5/1"', "[5, 0]"),
        ('"119/60"', "[1, 59]"),
        ('"-1/2"', None),
    ],
    "angle_within_a_turn": [("1000", "280"), ("-90", "270"), ("360", "0"), ("-720", "0"), ("45", "45"), ("-1", "359")],
    "joint_filling_time": [
        ("[3, 6]", '"2/1"'),
        ("[5, 7]", '"35/12"'),
        ("[1, 1]", '"1/2"'),
        ("[0, 4]", None),
        ("[5, -7]", None),
        ("[1000, 1001]", None),
    ],
    "rounded_percentage": [
        ('"5/7"', "71"),
        ('"1/8"', "13"),
        ('"-1/8"', "-13"),
        ('"-1/300"', "0"),
        ('"0/1"', "0"),
        ('"3/1"', "300"),
        ('"99999/1"', None),
    ],
}


def fahrenheit_to_celsius(x: int, y: Fraction) -> bool:
    return y * 9 / 5 + 32 == x


def hours_and_minutes(x: Fraction, y: tuple[int, int]) -> bool:
    hours, minutes = y
    elapsed, minute = timedelta(hours=hours, minutes=minutes), timedelta(minutes=1)
    seconds = x * 3600
    return 0 <= minutes < 60 and elapsed.total_seconds() <= seconds < (elapsed + minute).total_seconds()


def angle_within_a_turn(x: int, y: int) -> bool:
    return 0 <= y < 360 and (x - y) % 360 == 0


def joint_filling_time(x: tuple[int, int], y: Fraction) -> bool:
    """In that time the two taps together fill exactly one tank."""
    return y / x[0] + y / x[1] == 1


def rounded_percentage(x: Fraction, y: int) -> bool:
    with localcontext() as context:
        context.prec = 60
        percent = Decimal(100 * x.numerator) / Decimal(x.denominator)
        return Decimal(y) == percent.quantize(Decimal(1), ROUND_HALF_UP)


ORACLES = {
    "fahrenheit_to_celsius": fahrenheit_to_celsius,
    "hours_and_minutes": hours_and_minutes,
    "angle_within_a_turn": angle_within_a_turn,
    "joint_filling_time": joint_filling_time,
    "rounded_percentage": rounded_percentage,
}
