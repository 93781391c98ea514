"""Single values: integers, fractions, truth values, dates and times of day."""

import re
from datetime import date, timedelta
from fractions import Fraction
from random import Random
from typing import Annotated, Any

from races.environments.types.base import Type, is_int

_WHOLE = re.compile(r"[+-]?\d{1,15}|[+-]?\d{1,3}(?:,\d{3}){1,4}", re.ASCII)
_RATIO = re.compile(r"(-?\d{1,12})\s*/\s*(\d{1,12})", re.ASCII)
_LATEX_RATIO = re.compile(r"(-?)\s*\\[dt]?frac\{(\d{1,12})\}\{(\d{1,12})\}", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"(\d{1,2}):(\d{2})", re.ASCII)


class Integer(Type[int]):
    """The integers from low to high; small values mostly make no good problems."""

    low: int
    high: int
    least: int  # the smallest absolute value that is healthy
    tops: tuple[int, int, int, int, int]  # the largest absolute value a sample has, by level

    def belongs(self, value: object) -> bool:
        return is_int(value, self.low, self.high)

    def sample(self, rng: Random, level: int) -> int:
        size = rng.randint(self.least, self.tops[level - 1])
        return -size if self.low < 0 and rng.random() < 0.4 else size

    def healthy(self, value: int) -> bool:
        return abs(value) >= self.least

    def bare(self, text: str) -> int:
        if not _WHOLE.fullmatch(text):
            raise ValueError("expected digits")
        return self.decode(int(text.replace(",", "")))


class RationalType(Type[Fraction]):
    """Fractions whose numerator and denominator in lowest terms stay below a hundred thousand."""

    def belongs(self, value: object) -> bool:
        return type(value) is Fraction and abs(value.numerator) <= 99_999 and value.denominator <= 99_999

    def sample(self, rng: Random, level: int) -> Fraction:
        top = (10, 20, 30, 40, 50)[level - 1]
        while True:
            value = Fraction(rng.randint(1, 3 * top) * rng.choice((1, 1, -1)), rng.randint(2, top))
            if value.denominator > 1:
                return value

    def healthy(self, value: Fraction) -> bool:
        return value.denominator > 1 or abs(value.numerator) > 1

    def encode(self, value: Fraction) -> str:
        return f"{value.numerator}/{value.denominator}"

    def decode(self, data: Any) -> Fraction:
        if type(data) is int:
            return self._made(data, 1)
        return self.bare(data)

    def bare(self, text: str) -> Fraction:
        if match := _LATEX_RATIO.fullmatch(text):
            return self._made(int(match[1] + match[2]), int(match[3]))
        if _WHOLE.fullmatch(text) and "," not in text:
            return self._made(int(text), 1)
        if match := _RATIO.fullmatch(text):
            return self._made(int(match[1]), int(match[2]))
        raise ValueError("expected p/q")

    def _made(self, numerator: int, denominator: int) -> Fraction:
        if denominator < 1 or Fraction(numerator, denominator).denominator != denominator:
            raise ValueError("expected a fraction in lowest terms with a positive denominator")
        value = Fraction(numerator, denominator)
        if not self.belongs(value):
            raise ValueError(f"expected {self.noun}")
        return value


class BoolType(Type[bool]):
    """Truth values: little to guess, so only the last step of a path may produce one."""

    sink = True

    def belongs(self, value: object) -> bool:
        return type(value) is bool

    def sample(self, rng: Random, level: int) -> bool:
        return rng.random() < 0.5

    def healthy(self, value: bool) -> bool:
        return True

    def bare(self, text: str) -> bool:
        found = {"true": True, "false": False, "yes": True, "no": False}.get(text.lower())
        if found is None:
            raise ValueError("expected true or false")
        return found


FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2299, 12, 31)


class DateType(Type[date]):
    """Days of the Gregorian calendar from 1900 to 2299."""

    def belongs(self, value: object) -> bool:
        return type(value) is date and FIRST_DAY <= value <= LAST_DAY

    def sample(self, rng: Random, level: int) -> date:
        reach = (1, 10, 30, 60, 100)[level - 1]
        first = date(2025 - min(reach, 60), 1, 1)
        return first + timedelta(days=rng.randrange((date(2025 + reach, 12, 31) - first).days))

    def healthy(self, value: date) -> bool:
        return True

    def encode(self, value: date) -> str:
        return value.isoformat()

    def decode(self, data: Any) -> date:
        return self.bare(data)

    def bare(self, text: str) -> date:
        if not _DATE.fullmatch(text):
            raise ValueError("expected YYYY-MM-DD")
        value = date(int(text[:4]), int(text[5:7]), int(text[8:]))
        if not self.belongs(value):
            raise ValueError(f"expected {self.noun}")
        return value


class TimeType(Type[tuple[int, int]]):
    """Minutes of a day on a 24-hour clock, as (hour, minute)."""

    def belongs(self, value: object) -> bool:
        return type(value) is tuple and len(value) == 2 and is_int(value[0], 0, 23) and is_int(value[1], 0, 59)

    def sample(self, rng: Random, level: int) -> tuple[int, int]:
        step = (30, 15, 5, 1, 1)[level - 1]
        return divmod(rng.randrange(step, 24 * 60, step), 60)

    def healthy(self, value: tuple[int, int]) -> bool:
        return value != (0, 0)

    def encode(self, value: tuple[int, int]) -> str:
        return f"{value[0]:02d}:{value[1]:02d}"

    def decode(self, data: Any) -> tuple[int, int]:
        return self.bare(data)

    def bare(self, text: str) -> tuple[int, int]:
        match = _TIME.fullmatch(text)
        if not match:
            raise ValueError("expected HH:MM")
        value = int(match[1]), int(match[2])
        if not self.belongs(value):
            raise ValueError(f"expected {self.noun}")
        return value


BIG = 1_000_000
_TOPS = (99, 999, 9_999, 99_999, 999_999)

Int = Annotated[int, Integer("Int", "an integer", "an integer", (-17, 204), low=-BIG, high=BIG, least=2, tops=_TOPS)]
Nat = Annotated[
    int,
    Integer("Nat", "a whole number, 0 or more", "an integer", (17, 204), (Int,), low=0, high=BIG, least=3, tops=_TOPS),
]
SmallNat = Annotated[
    int,
    Integer(
        "SmallNat",
        "a whole number from 0 to 60",
        "an integer",
        (17, 52),
        (Nat,),
        low=0,
        high=60,
        least=3,
        tops=(12, 20, 30, 45, 60),
    ),
]
Rational = Annotated[
    Fraction,
    RationalType(
        "Rational",
        'a fraction in lowest terms, written "p/q"',
        'a string "p/q": a fraction in lowest terms with q of at least 1, always with the slash (three is "3/1")',
        (Fraction(-22, 7), Fraction(5, 12)),
    ),
]
Bool = Annotated[bool, BoolType("Bool", "a truth value", "true or false", (True, False))]
Date = Annotated[
    date,
    DateType("Date", "a date, written YYYY-MM-DD", 'a string "YYYY-MM-DD"', (date(2031, 5, 9), date(2017, 11, 30))),
]
TimeOfDay = Annotated[
    tuple[int, int],
    TimeType("TimeOfDay", "a time of day on the 24-hour clock", 'a string "HH:MM"', ((7, 5), (18, 40))),
]
