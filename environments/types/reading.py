"""From a text to the values of a type that it may mean: tolerant in spelling, strict in value.

A text has one reading, or none where two differ. Strings alone may have several, since their value may be what others
take for a wrapping: the string `**a**`, written without quotes, is also the string `a` in bold type. With its quotes it
is one and not the other.
"""

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from races.environments.types.literals import python_data, strict_json
from races.environments.types.spelling import Spelling, spellings

NO_VALUE = (ValueError, TypeError, RecursionError)


class Reader(Protocol):
    """The two questions that a type answers."""

    def decode(self, data: Any) -> Any:
        """The value that JSON data stands for."""

    def bare(self, text: str) -> Any:
        """The value that a text without JSON quotes or brackets stands for."""


def readings(kind: Reader, text: str) -> tuple[Any, ...]:
    """The values that a text may mean, the likeliest first; empty where it means none, or two things at once."""
    try:
        return (decoded(kind, strict_json(text)),)
    except NO_VALUE:
        pass
    found = spellings(text)
    exact = _first(kind, found, strict_json)
    if exact:
        return exact
    python = _first(kind, found, python_data)
    if python and not isinstance(python[0], str):
        return python
    values = _distinct([*python, *_bare(kind, found)])
    if not values:
        values = _within_quotes(kind, found)
    return values if len(values) <= 1 or all([isinstance(value, str) for value in values]) else ()


def decoded(kind: Reader, data: Any) -> Any:
    """The value that JSON data stands for, where 3.0 is 3 for every type."""
    if isinstance(data, float) and data.is_integer() and abs(data) < 2**53:
        data = int(data)
    return kind.decode(data)


def _first(kind: Reader, found: list[Spelling], read: Callable[[str], Any]) -> tuple[Any, ...]:
    """The value of the most literal spelling that holds data of the type."""
    for each in found:
        try:
            return (decoded(kind, read(each.text)),)
        except NO_VALUE:
            continue
    return ()


def _bare(kind: Reader, found: list[Spelling]) -> Iterator[Any]:
    """The values of spellings without quotes: unwrapped before literal, and those without announcing words last."""
    values: list[tuple[bool, int, Any]] = []
    literal = False
    for number, each in enumerate(found):
        if each.stop and literal and not each.named:  # the stop belongs to the string, or ends an announcing sentence
            continue
        try:
            values.append((each.named, -number, kind.bare(each.text)))
            literal = True
        except NO_VALUE:
            literal = False
    return iter([value for _, _, value in sorted(values, key=lambda each: each[:2])])


def _distinct(values: list[Any]) -> tuple[Any, ...]:
    found: list[Any] = []
    for value in values:
        if value not in found:
            found.append(value)
    return tuple(found)


def _within_quotes(kind: Reader, found: list[Spelling]) -> tuple[Any, ...]:
    """The values of a text that stands in quotes as a whole, such as "[1, 2]"."""
    for each in found:
        for read in (strict_json, python_data):
            try:
                inner = read(each.text)
            except NO_VALUE:
                continue
            if isinstance(inner, str):
                spelled = spellings(inner)
                data = _first(kind, spelled, strict_json) or _first(kind, spelled, python_data)
                return data or _distinct(list(_bare(kind, spelled)))
            break
    return ()
