"""JSON, and how Python writes the same data: single quotes, tuples, True, False, None, a comma at the end.

Nothing is evaluated. Python's spellings are rewritten to JSON, each piece once from left to right, and the standard
library's reader does the rest, so that the time is linear in the length of a text and nesting has an end.
"""

import json
import re
from typing import Any

MOST_OBJECTS = 300  # braces of a JSON text: each object costs a call, and no value of any type has more than one
MOST_REWRITTEN = 400  # pieces of one value; a directed graph of 132 arcs, written with tuples, has 264 brackets
MOST_ESCAPES = 400  # of a string, which may hold a whole array of results
MOST_PIECES = 2_500  # brackets, commas and strings of an array of results that is split
_TUPLE = "\ue000"  # the key of the object that stands for a tuple until its length is known; no answer has it


def _no_constant(text: str) -> Any:
    raise ValueError(f"expected a number, got {text}")


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("expected each key once")
    return dict(pairs)


def _tuple_or_object(pairs: list[tuple[str, Any]]) -> Any:
    """The array that a tuple means: (5,) is one, (5) is the number in brackets."""
    if not pairs or pairs[0][0] != _TUPLE:
        return _no_repeats(pairs)
    items, closed = pairs[0][1], len(pairs) > 1
    if len(items) == 1 and not closed:
        raise ValueError("expected a comma in a tuple of one")
    return items


_STRICT = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_no_repeats)
_WITH_TUPLES = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_tuple_or_object)


def strict_json(text: str) -> Any:
    """JSON data without the extensions of Python's parser: no NaN, no Infinity, no key twice."""
    if text.count("{") > MOST_OBJECTS:
        raise ValueError(f"expected at most {MOST_OBJECTS} objects")
    return _STRICT.decode(text)


# A single quote is an apostrophe unless it stands where a string may begin and its pair where one may end. In these
# expressions every alternative begins with a character of its own, for which the engine then looks at full speed.
QUOTED = r""""(?:[^"\\]++|\\.)*+"|'(?:(?<=[\[({,:\s]')|(?<=\A'))(?:[^'\\]++|\\.)*+'(?=\s*+(?:[\]}),:]|\Z))"""
_PYTHON = re.compile(
    # After a string without an end nothing is looked for, or each of its escaped quotes would search for one again.
    rf"""{QUOTED}|".*+|\[\s*+,|\{{\s*+,|\(\s*+,|,\s*+[\]}})]|\(|\)"""
    r"""|T(?<![\w.\\]T)rue(?![\w.(])|F(?<![\w.\\]F)alse(?![\w.(])|N(?<![\w.\\]N)one(?![\w.(])""",
    re.DOTALL,
)
_PIECES = {"(": f'{{"{_TUPLE}":[', ")": "]}", "True": "true", "False": "false", "None": "null", "]": "]", "}": "}"}
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u[0-9a-fA-F]{4}|(.))|\"", re.DOTALL)


def python_data(text: str) -> Any:
    """The data of a text that may write JSON as Python does; ValueError where it is neither."""
    if text[:1] not in {"[", "(", "{", "'"} and text not in {"True", "False", "None"}:
        raise ValueError("expected the beginning of an array, an object or a string")
    if _TUPLE in text or text.count("{") > MOST_OBJECTS:
        raise ValueError("expected fewer objects")
    return _WITH_TUPLES.decode(_PYTHON.sub(_as_json, text, count=MOST_REWRITTEN))


def _as_json(match: "re.Match[str]") -> str:
    piece = match.group()
    if piece in _PIECES:
        return _PIECES[piece]
    if piece[0] == "'":
        return f'"{_ESCAPE.sub(_escaped, piece[1:-1], count=MOST_ESCAPES)}"'
    if piece[0] == '"':
        return piece
    if piece[0] == ",":  # a comma at the end, which also makes (5,) a tuple
        return _PIECES[piece[-1]] if piece[-1] != ")" else f'],"{_TUPLE}{_TUPLE}":0}}'
    return "?"  # a comma after an opening bracket: no data


def _escaped(match: "re.Match[str]") -> str:
    """What stands in a JSON string for an escape, or for a plain double quote, in a Python string."""
    piece = match.group()
    if piece == '"':
        return '\\"'
    if match[1]:
        return f"\\u00{match[1]}"
    if match[2] == "'":
        return "'"
    return piece  # JSON refuses those that it does not have


_SPLITTER = re.compile(
    rf"""{QUOTED}|\\[^\[\](){{}}]|\[[^\[\](){{}}"'\\]*+\]|\([^\[\](){{}}"'\\]*+\)|\[|\]|\(|\)|\{{|\}}|,""", re.DOTALL
)
_CLOSES = {"[": "]", "(": ")", "{": "}"}


def split_array(text: str) -> list[str]:
    """The texts of the items of an array or a tuple, whatever they are; ValueError where brackets do not match.

    Commas count outside of strings and brackets alone. One comma may stand at the end.
    """
    if len(text) < 2 or _CLOSES.get(text[0]) != text[-1] or text[0] == "{":
        raise ValueError("expected an array")
    open_brackets, begin, items = [text[0]], 1, list[str]()
    # The two brackets around the whole are left out, or a flat array would be one piece.
    for number, match in enumerate(_SPLITTER.finditer(text, 1, len(text) - 1)):
        if number >= MOST_PIECES:
            raise ValueError(f"expected at most {MOST_PIECES} pieces")
        piece = match.group()
        if piece == ",":
            if len(open_brackets) == 1:
                items.append(text[begin : match.start()].strip())
                begin = match.end()
        elif piece in _CLOSES:
            open_brackets.append(piece)
        elif piece in {"]", ")", "}"} and (_CLOSES[open_brackets.pop()] != piece or not open_brackets):
            raise ValueError("expected brackets that match")
    last = text[begin:-1].strip()
    if len(open_brackets) != 1 or (text[0] == "(" and len(items) == 0 and last):
        raise ValueError("expected brackets that match, and a comma in a tuple of one")
    return [*items, last] if last else items
