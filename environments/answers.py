r"""Find and read the answer in a model's text; the text is never evaluated, and reading takes time linear in its
length.

The last answer outside the thinking part counts. It stands between <answer> and </answer>, or in \boxed{...}.
"""

import re
from itertools import islice
from typing import Any

from environments.errors import Unparseable
from environments.thinking import visible
from environments.types.base import LONGEST_ANSWER, Type, shorten, spellings, strict_json

_CLOSE = "</answer>"
_OPEN = "<answer>"
_BOXED = "\\boxed{"


def find_answer(text: str) -> str:
    """The last complete answer of a text, without its marks; Unparseable where there is none."""
    said = visible(text)
    if said == "" and text:
        raise Unparseable("expected an answer after the thinking part, got none")
    begin = said.rfind(_OPEN, 0, max(0, said.rfind(_CLOSE)))
    end = said.find(_CLOSE, begin) if begin >= 0 else -1
    boxed = _last_box(said, max(0, end))
    if boxed is not None:
        return boxed
    if begin >= 0:
        return said[begin + len(_OPEN) : end].strip()
    raise Unparseable("expected an answer between <answer> and </answer>, got none")


_MARKS = re.compile(r'\\.|["{}\n]')
_MOST_MARKS = 2_000  # braces, quotes and escapes of a box; no value of any type has as many
_TRIES = 3  # boxes that are tried from the end, since the last one may be unfinished


def _last_box(text: str, begin: int) -> str | None:
    """What the last complete box after a place holds; the work is bounded, however many boxes and braces there are.

    A brace inside a JSON string is none, but prose has stray quotes: of the two readings the one that ends later is
    right, since a brace or a quote that misleads ends a box too early or never.
    """
    start = len(text)
    for _ in range(_TRIES):
        start = text.rfind(_BOXED, begin, start)
        if start < 0:
            return None
        inside = start + len(_BOXED)
        end = max(_end_of_box(text, inside, strings) for strings in (True, False))
        if end >= 0:
            return text[inside:end].strip()
    return None


def _end_of_box(text: str, begin: int, strings: bool) -> int:
    """Where the brace closes that was opened before `begin`, or -1; `strings`: braces between quotes are skipped."""
    depth, quoted = 1, False
    for match in islice(_MARKS.finditer(text, begin, begin + LONGEST_ANSWER), _MOST_MARKS):
        mark = match.group()
        if mark in {'"', "\n"}:
            quoted = strings and mark == '"' and not quoted
        elif not quoted and len(mark) == 1:
            depth += 1 if mark == "{" else -1
            if depth == 0:
                return match.start()
    return -1


def read_array(text: str, length: int | None = None) -> list[Any]:
    """The items of a JSON array, in the tolerant spellings of Type.parse; Unparseable where it is none or too long."""
    if len(text) > LONGEST_ANSWER:
        raise Unparseable(f"expected at most {LONGEST_ANSWER} characters, got {len(text)}")
    for spelling in spellings(text):
        try:
            data = strict_json(spelling)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, str):
            return read_array(data, length)
        if isinstance(data, list):
            if length is not None and len(data) > length:
                raise Unparseable(f"expected {length} results, got {len(data)}")
            return data
    raise Unparseable(f"expected a JSON array, got {shorten(text)}")


def read_item(kind: Type[Any], data: Any) -> Any:
    """The value that an item of an answer's array stands for; Unparseable where it is none of the type."""
    try:
        return kind.decode(data)
    except (ValueError, TypeError, RecursionError):
        if isinstance(data, str):
            return kind.parse(data)
        if type(data) in (int, float):
            return kind.parse(str(data))
    raise Unparseable(f"expected {kind.notation}, got {shorten(data)}")


_SEPARATORS = re.compile(r"\s*(?:,|;|->|→|>|\s)\s*")


def read_labels(text: str, labels: str) -> list[str]:
    """Different labels in the order in which the answer names them: a JSON array of letters, or letters with
    separators.

    Raises Unparseable where something else stands there, a label is unknown or comes twice, or there is none.
    """
    if len(text) > LONGEST_ANSWER:
        raise Unparseable(f"expected at most {LONGEST_ANSWER} characters, got {len(text)}")
    try:
        items = read_array(text)
    except Unparseable:
        bare = list(spellings(text))[-1].strip("[]() ").replace('"', "").replace("'", "")
        items = _SEPARATORS.split(bare) if len(bare) <= 500 else []
    if not items or not all(
        isinstance(item, str) and len(item.strip()) == 1 and item.strip() in labels for item in items
    ):
        raise Unparseable(f"expected a JSON array of the letters {labels[0]} to {labels[-1]}, got {shorten(text)}")
    chosen = [item.strip() for item in items]
    if len(set(chosen)) < len(chosen):
        raise Unparseable(f"expected each letter at most once, got {shorten(text)}")
    return chosen
