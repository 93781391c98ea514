"""The form of an environment's outputs: what all of them share, as a reader of the statement may well know.

Types say that an output is a list; a statement also says that it is sorted, has nine entries or stays below 360.
Whoever compares this with the output that a prompt shows can tell which operations were not the last. The form is
found on inputs of the environment's own, and is rather too narrow than too wide: a guess looks better than it is.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from races.environments.core import Environment
from races.environments.errors import InvalidValue, SettingError
from races.environments.execution import draw, run
from races.environments.seeding import generator
from races.environments.types import LEVELS

SAMPLES = 40  # inputs of a brick, over all levels
Span = tuple[int, int]


@dataclass(frozen=True)
class Form:
    """What outputs share.

    sizes: the least and the greatest length.
    numbers: the least and the greatest number in an output, None without any.
    characters: the kinds of characters in texts.
    traits: what holds for all of them, such as "ascending".
    """

    sizes: Span
    numbers: Span | None
    characters: frozenset[str]
    traits: frozenset[str]

    def allows(self, other: "Form") -> bool:
        """Whether an output of the other form may be one of these."""
        within = self.sizes[0] <= other.sizes[0] and other.sizes[1] <= self.sizes[1]
        if other.numbers is not None:
            mine = self.numbers
            within = within and mine is not None and mine[0] <= other.numbers[0] and other.numbers[1] <= mine[1]
        return within and other.characters <= self.characters and self.traits <= other.traits


def could_give(environment: Environment, output: str) -> bool:
    """Whether an output (canonical JSON) has the form of the environment's own; true where it gave none."""
    form = _form_of(environment)
    return form is None or form.allows(form_of(output))


def form_of(output: str) -> Form:
    """The form of one output, which is canonical JSON."""
    data = json.loads(output)
    leaves = list(_leaves(data))
    numbers = [each for each in leaves if type(each) is int]
    size = len(data) if isinstance(data, (list, str)) else len(leaves)
    characters = {_kind(each) for leaf in leaves if isinstance(leaf, str) for each in leaf}
    span = (min(numbers), max(numbers)) if numbers else None
    return Form((size, size), span, frozenset(characters), frozenset(_traits(data)))


@cache
def _form_of(environment: Environment) -> Form | None:
    rng = generator("form", environment.name)
    found: Form | None = None
    for index in range(SAMPLES):
        try:
            outcome = run(environment, draw(environment, rng, LEVELS[index % len(LEVELS)]))
        except (InvalidValue, SettingError):  # its sampler fails
            continue
        if outcome.done:
            form = form_of(environment.codomain.dumps(outcome.value))
            found = form if found is None else _joined(found, form)
    return found


def _joined(first: Form, second: Form) -> Form:
    spans = [each.numbers for each in (first, second) if each.numbers is not None]
    return Form(
        (min(first.sizes[0], second.sizes[0]), max(first.sizes[1], second.sizes[1])),
        (min(low for low, _ in spans), max(high for _, high in spans)) if spans else None,
        first.characters | second.characters,
        first.traits & second.traits,
    )


def _leaves(data: Any) -> Iterator[Any]:
    """The numbers and texts in JSON data."""
    pending = [data]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            pending += each.values()
        elif isinstance(each, list):
            pending += each
        else:
            yield each


def _kind(character: str) -> str:
    """The kind of a character; one that is neither a letter nor a digit is a kind of its own."""
    if character.isdigit():
        return "digit"
    if character.isalpha():
        return "capital" if character.isupper() else "letter"
    return character


def _traits(data: Any) -> Iterator[str]:
    """What holds for a text, or for a list of numbers, of texts or of lists: its order, its ends and its rows."""
    items = list(data) if isinstance(data, (str, list)) else []
    kinds = {type(each) for each in items}
    if kinds == {list} or (kinds == {str} and isinstance(data, list)):
        yield from _traits_of_rows(items)
    if kinds not in ({int}, {str}):
        return
    yield f"begins with {items[0]!r}"
    yield f"ends with {items[-1]!r}"
    if items == items[::-1]:
        yield "symmetric"
    if len(set(items)) == len(items):
        yield "distinct"
    ascending = sorted(items)
    if items == ascending:
        yield "ascending"
    if items == ascending[::-1]:
        yield "descending"
    numerator, slash, denominator = data.partition("/") if isinstance(data, str) else ("", "", "")
    if slash and denominator in ("1", "2") and numerator.removeprefix("-").isdigit():
        yield from ("whole", "whole or half")[int(denominator) - 1 :]


def _traits_of_rows(rows: list[Any]) -> Iterator[str]:
    """What holds for every one of some rows, and whether they are a matrix that is its own transpose."""
    for trait in set.intersection(*[set(_traits(row)) for row in rows]):
        yield f"rows: {trait}"
    widths = {len(row) for row in rows}
    if len(widths) == 1:
        yield f"rows of {len(rows[0])}"
    if widths == {len(rows)} and all(
        list(column) == list(row) for column, row in zip(zip(*rows, strict=True), rows, strict=True)
    ):
        yield "its own transpose"
