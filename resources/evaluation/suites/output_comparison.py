"""Whether a program's output is the expected one, by the rules of LiveCodeBench's own runner.

The expected output bounds the work: the printed text is read from its start, only as far as it agrees, and only the
current word is ever parsed.
"""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import zip_longest
from json.decoder import scanstring  # type: ignore[attr-defined]  # the JSON string parser of the standard library, undocumented
from typing import Any

MAX_DEPTH = 200  # levels of lists and objects in an expected value
MAX_INT_DIGITS = 4_000  # of an integer that int() may read: below Python's own limit on quadratic conversions
WORD = re.compile(r"\S+")
SPACE = re.compile(r"[ \t\n\r]*")
NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][+-]?[0-9]+)?")
CONSTANTS = {
    "null": None,
    "true": True,
    "false": False,
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": -float("inf"),
}
CONSTANT = re.compile("|".join(CONSTANTS))


def same_text(printed: str, expected: str) -> bool:
    """Whether the printed lines match the expected ones, ignoring outer white space: as text or as decimal numbers."""
    pairs = zip_longest(lines(printed.strip()), lines(expected.strip()))
    return all(one is not None and other is not None and _same_line(one, other) for one, other in pairs)


def lines(text: str) -> Iterator[str]:
    """The lines of a text, one after another."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def _same_line(printed: str, expected: str) -> bool:
    if printed.strip() == expected.strip():
        return True
    pairs = zip_longest(WORD.finditer(printed), WORD.finditer(expected))
    return all(one is not None and other is not None and _same_number(one[0], other[0]) for one, other in pairs)


def _same_number(printed: str, expected: str) -> bool:
    try:
        return Decimal(printed) == Decimal(expected)
    except ArithmeticError:  # not a number, or NaN
        return False


def same_value(returned: str, expected: str) -> bool:
    """Whether a returned value, as JSON, equals the expected one by Python's equality. Never raises."""
    try:
        end = _agrees(returned, 0, json.loads(expected, parse_int=integer))
    except (ValueError, RecursionError):
        return False
    return end >= 0 and SPACE.fullmatch(returned, end) is not None


def integer(digits: str) -> int | Decimal:
    """The integer that the digits denote, of any length."""
    return int(digits) if len(digits) <= MAX_INT_DIGITS else Decimal(digits)


def depth(value: Any) -> int:
    """The nesting depth of lists and objects in a value; 0 for a scalar."""
    deepest, level = 0, [value]
    while level := [each for each in level if isinstance(each, (list, dict))]:
        deepest += 1
        level = [part for each in level for part in (each.values() if isinstance(each, dict) else each)]
    return deepest


def _agrees(text: str, start: int, value: Any) -> int:
    """The end of the JSON at `start` if it denotes a value equal to this one, else -1."""
    start = _skip(text, start)
    if isinstance(value, list):
        return _agrees_list(text, start, value)
    if isinstance(value, dict):
        return _agrees_object(text, start, value)
    if isinstance(value, str):
        if not text.startswith('"', start):
            return -1
        found, end = scanstring(text, start + 1)
        return end if found == value else -1
    if word := CONSTANT.match(text, start):
        return word.end() if CONSTANTS[word[0]] == value else -1
    if not (word := NUMBER.match(text, start)):
        return -1
    number = integer(word[0]) if word[2] is word[3] is None else float(word[0])
    return word.end() if number == value else -1


def _agrees_list(text: str, start: int, values: list[Any]) -> int:
    place = _skip(text, start + 1) if text.startswith("[", start) else -1
    for number, value in enumerate(values):
        if place >= 0 and number:
            place = place + 1 if text.startswith(",", place) else -1
        if place < 0 or (place := _agrees(text, place, value)) < 0:
            return -1
        place = _skip(text, place)
    return place + 1 if place >= 0 and text.startswith("]", place) else -1


def _agrees_object(text: str, start: int, values: dict[str, Any]) -> int:
    place = _skip(text, start + 1) if text.startswith("{", start) else -1
    missing = dict(values)
    while missing and place >= 0:
        if len(missing) < len(values):
            place = _skip(text, place + 1) if text.startswith(",", place) else -1
        if place < 0 or not text.startswith('"', place):
            return -1
        key, place = scanstring(text, place + 1)
        place = _skip(text, place)
        if key not in missing or not text.startswith(":", place):
            return -1
        if (place := _agrees(text, place + 1, missing.pop(key))) < 0:
            return -1
        place = _skip(text, place)
    return place + 1 if place >= 0 and text.startswith("}", place) else -1


def _skip(text: str, start: int) -> int:
    """The end of the white space at `start`."""
    space = SPACE.match(text, start)
    return space.end() if space else start
