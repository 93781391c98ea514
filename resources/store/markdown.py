"""Texts of others in Markdown: shown as they are, whatever of Markdown, HTML or a table's borders they look like."""

import re
from collections.abc import Iterable

from races.environments.terminal import visible

# Entities stand for a letter in every dialect, in tables too, where dialects differ on what a backslash does to a "|".
# An underscore between letters needs none.
SPECIAL = re.compile(r"[\\`*\[\]<>&|~$!#]|(?<![^\W_])_|_(?![^\W_])")
# What begins a list, a quotation, a heading or a line across the page, where it begins a line.
FIRST = re.compile(r"[-+](?=\s|$)|-{2,}|=+|\d+[.)](?=\s|$)")
PLAIN = re.compile(r"[\w .,:;+/=()@%-]+")


def text(value: object) -> str:
    """A value as text of a paragraph or a cell, on one line; controls of a terminal become escapes."""
    line = " ".join(visible(str(value)).split())
    escaped = SPECIAL.sub(lambda found: _entities(found[0]), line)
    first = FIRST.match(escaped)
    return _entities(first[0][-1]).join((first[0][:-1], escaped[first.end() :])) if first else escaped


def code(value: object) -> str:
    """A value between backticks, or as text where it has letters that end those or a cell."""
    line = " ".join(str(value).split())
    return f"`{line}`" if PLAIN.fullmatch(line) else text(line)


def fenced(value: str, language: str = "text") -> str:
    """A text as a block, within more backticks than it has in a row."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", value)), default=0))
    return f"{fence}{language}\n{value}\n{fence}"


def row(cells: Iterable[str]) -> str:
    """A line of a table of what is Markdown already."""
    return f"| {' | '.join(cells)} |"


def _entities(letters: str) -> str:
    return "".join(f"&#{ord(letter)};" for letter in letters)
