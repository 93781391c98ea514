r"""Find and read the answer in a model's text; the text is never evaluated, and reading takes time linear in its
length.

The last answer outside the thinking part counts. It stands between <answer> and </answer> or in \boxed{...}, as the
prompt asked; the other form counts where the one that was asked for is absent.
"""

import re
from collections.abc import Callable, Sequence
from itertools import islice, product
from typing import Any, Literal

from races.environments.errors import Unparseable
from races.environments.responses.thinking import visible
from races.environments.types.base import LONGEST_ANSWER, LONGEST_VALUE, Type, shorten
from races.environments.types.literals import python_data, split_array, strict_json
from races.environments.types.reading import NO_VALUE, decoded
from races.environments.types.spelling import spellings

AnswerStyle = Literal["tags", "boxed"]


def find_answer(text: str, style: AnswerStyle = "tags") -> str:
    """The last complete answer of a text in the form that was asked for, else in the other, without its marks.

    Raises Unparseable where there is none.
    """
    answered = visible(text)
    if answered == "" and text:
        raise Unparseable("expected an answer after the thinking part, got none")
    forms: tuple[Callable[[str], str | None], ...] = (_last_tagged, _last_boxed)
    for last in forms if style == "tags" else reversed(forms):
        found = last(answered)
        if found is not None:
            return found.strip()
    wanted = "between <answer> and </answer>" if style == "tags" else r"in \boxed{}"
    raise Unparseable(f"expected an answer {wanted}, got none")


_OPEN, _CLOSE = b"<answer>", b"</answer>"
# Tags with spaces in them, and the plain ones of the same length: the spaces go outside of what the tags hold.
_SPACED = {
    **{b"<%banswer%b>" % (a, b): _OPEN.rjust(8 + len(a + b)) for a, b in product((b"", b" "), repeat=2)},
    **{b"<%b/%banswer%b>" % (a, b, c): _CLOSE.ljust(9 + len(a + b + c)) for a, b, c in product((b"", b" "), repeat=3)},
}
_MENTION = re.compile(r"[`'\"\u201d\u2019*]*\s+(?:and|or|to)\s+[`'\"\u201c\u2018*]*|\s*(?:\.\.\.|\u2026)?\s*")
_MENTIONS, _LONGEST_MENTION = 3, 20
_MOST = LONGEST_ANSWER + 2  # characters


def _last_tagged(text: str) -> str | None:
    """What the last pair of tags holds, in any case of letters.

    "between <answer> and </answer>" only mentions them, and so does a pair with nothing or with dots in it.
    """
    # A byte for each character, since the tags are ASCII: places are the same, and lower case keeps them.
    tags = text.encode("ascii", "replace").lower()
    # Searched from the end, which is many times as fast as `in` where a text is long and not ASCII.
    if any([tags.rfind(mark) >= 0 for mark in (b"< answer", b"answer >", b"/ answer", b"< /")]):
        for spaced, plain in _SPACED.items():
            tags = tags.replace(spaced, plain)
    mention, limit = None, len(tags)
    for _ in range(_MENTIONS):
        last = tags.rfind(_CLOSE, 0, limit)
        begin = tags.rfind(_OPEN, 0, max(0, last))
        if begin < 0:
            return mention
        only = tags.rfind(_CLOSE, begin, last) < 0
        begun, end = begin + len(_OPEN), last if only else tags.find(_CLOSE, begin)
        content = text[
            begun : min(end, begun + _MOST)
        ]  # too long an answer still when it is cut, and quicker to refuse
        if len(content) > _LONGEST_MENTION or not _MENTION.fullmatch(content):
            return content
        mention, limit = content, begin
    return mention


_BOX = re.compile(r"\\f?box(?:ed)?\s{0,2}\{")
# Braces; strings of JSON and, where they can be told from apostrophes, of Python; escapes.
_BRACES = (
    re.compile(r"\\.|\{|\}", re.DOTALL),
    re.compile(
        r"""\\.|\{|\}|"(?:[^"\\\n]++|\\.)*+"|'(?<=[\[({,:\s]')(?:[^'\\\n]++|\\.)*+'(?=\s*+[\]}),:])""",
        re.DOTALL,
    ),
)
_MOST_MARKS = 2_000  # braces, strings and escapes of the boxes that are tried; no value of any type has as many
_TRIES = 3  # boxes that are tried from the end, since the last one may be unfinished


def _last_boxed(text: str) -> str | None:
    """What the last complete box holds; one with nothing or with dots in it only mentions boxes. The work is bounded,
    however many boxes and braces there are.

    A brace inside a string is none, but prose has stray quotes: of the two readings the one that ends later is right,
    since a brace or a quote that misleads ends a box too early or never.
    """
    start, left, mention = len(text), [_MOST_MARKS], None
    for _ in range(_TRIES):
        start = max(text.rfind("\\boxed", 0, start), text.rfind("\\fbox", 0, start))
        if start < 0:
            return mention
        opened = _BOX.match(text, start)
        if opened:
            end = max([_end_of_box(text, opened.end(), marks, left) for marks in _BRACES])
            if end >= 0:
                mention = text[opened.end() : end]
                if len(mention) > _LONGEST_MENTION or not _MENTION.fullmatch(mention):
                    return mention
    return mention


def _end_of_box(text: str, begin: int, marks: "re.Pattern[str]", left: list[int]) -> int:
    """Where the brace closes that was opened before `begin`, or -1; left: how many marks may still be looked at."""
    depth = 1
    for match in islice(marks.finditer(text, begin, begin + LONGEST_ANSWER), left[0]):
        left[0] -= 1
        mark = match.group()
        if mark in {"{", "}"}:
            depth += 1 if mark == "{" else -1
            if depth == 0:
                return match.start()
    return -1


_MOST_COMMAS = 300  # of one result; a directed graph of 132 arcs has 264


def read_results(text: str, kinds: Sequence[Type[Any]]) -> list[tuple[Any, ...]]:
    """For each item of an array its readings as the type at its place; empty where it has none, which costs it alone.

    Raises Unparseable where the text is no array or has more items than types; it may have fewer.
    """
    if len(text) > LONGEST_ANSWER:
        raise Unparseable(f"expected at most {LONGEST_ANSWER} characters, got {len(text)}")
    if text.count(",") <= _MOST_COMMAS * len(kinds):
        try:
            data = strict_json(text)
            if isinstance(data, list) and len(data) <= len(kinds):
                return [(decoded(kind, item),) for kind, item in zip(kinds, data, strict=False)]
        except NO_VALUE:
            pass
    items = _items(text)
    if len(items) > len(kinds):
        raise Unparseable(f"expected {len(kinds)} results, got {len(items)}")
    return [_readings(kind, item) for kind, item in zip(kinds, items, strict=False)]


def _items(text: str, quoted: bool = False) -> list[str]:
    """The texts of the items of an array, which may stand in quotes as a whole."""
    found = spellings(text)
    for each in found:
        try:
            return split_array(each.text)
        except ValueError:
            continue
    for each in found:
        for read in (strict_json, python_data):
            if not quoted and each.text[:1] in {'"', "'"}:
                try:
                    return _items(read(each.text), quoted=True)
                except NO_VALUE:
                    continue
    raise Unparseable(f"expected a JSON array, got {shorten(text)}")


def _readings(kind: Type[Any], item: str) -> tuple[Any, ...]:
    try:
        return kind.readings(item) if item else ()
    except Unparseable:
        return ()


_BETWEEN_LABELS = re.compile(r" ?(?:,? ?\bthen\b|[-=]{1,2}>|[,;>]) ?| ")
_LABEL = re.compile(r"(`|\*\*|\$|)([A-Z])\1")
_LONGEST_ROW = 500  # characters of letters and what stands between them


def read_labels(text: str, labels: str) -> list[str]:
    """Different labels in the order in which the answer names them: a JSON array of letters, or letters with
    separators.

    Raises Unparseable where something else stands there, a label is unknown or comes twice, or there is none.
    """
    if len(text) > LONGEST_VALUE:
        raise Unparseable(f"expected at most {LONGEST_VALUE} characters, got {len(text)}")
    chosen = _row(text)
    if not chosen or not set(chosen) <= set(labels):
        raise Unparseable(f"expected a JSON array of the letters {labels[0]} to {labels[-1]}, got {shorten(text)}")
    if len(set(chosen)) < len(chosen):
        raise Unparseable(f"expected each letter at most once, got {shorten(text)}")
    return chosen


def _row(text: str, quoted: bool = False) -> list[str]:
    """The letters of the most literal spelling that has some; none where one is an array of something else."""
    for each in spellings(text):
        data = _data(each.text)
        if isinstance(data, str) and not quoted:
            row = _row(data, quoted=True)
        elif isinstance(data, list):
            items = [_LABEL.fullmatch(item.strip()) if isinstance(item, str) else None for item in data]
            return [item[2] for item in items if item] if all(items) else []
        else:
            row = _bare_row(each.text)
        if row:
            return row
    return []


def _data(text: str) -> Any:
    """The data of JSON or Python, None where the text is neither."""
    for read in (strict_json, python_data):
        try:
            return read(text)
        except NO_VALUE:
            continue
    return None


def _bare_row(text: str) -> list[str]:
    """The letters of a text with nothing but separators between them; brackets and quotes around them say nothing."""
    inner = " ".join(text[: _LONGEST_ROW + 1].strip("[]() ").replace('"', "").replace("'", "").split())
    if len(text) > _LONGEST_ROW:
        return []
    items = [_LABEL.fullmatch(item) for item in _BETWEEN_LABELS.split(inner.removesuffix(",").rstrip())]
    return [item[2] for item in items if item] if all(items) else []
