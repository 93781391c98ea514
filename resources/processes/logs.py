"""What an error message quotes of a log: its end, and before that the first line that names an error.

Where several processes are at work, the end is often the one that waited: vLLM's says "see root cause above", a hundred
lines below the cause.
"""

import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

TAIL_LINES = 40  # that an error message quotes of the end
LINES_AFTER_ERROR = 3  # that it quotes after the first error: a validation says there what it found
MAX_LINE_LENGTH = 1_000  # characters of a line that are quoted
MAX_SEARCHED_BYTES = 2**26  # of a log in which the first error is looked for
TAIL_BYTES = 2**16

TRACEBACK = "Traceback (most recent call last):"
# ValueError: ..., torch.OutOfMemoryError: ..., ray.exceptions.RayTaskError(KeyError): ..., also after the marks that
# loggers and Ray put before a line.
RAISED = re.compile(r"(?:^|\s)(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit)(?:\(\w+\))?(?::|$)")
LOGGED = re.compile(
    r"\b(?:ERROR|CRITICAL|FATAL)\b|(?:^|: )(?:fatal )?error: |^Fatal Python error|"
    r"^terminate called|Segmentation fault|^(?:\S+: )*Killed$|No such file or directory"
)
# Warnings (an optional package that is missing is often logged as an ImportError), and quoted code.
HARMLESS = re.compile(r"\b(?:DEBUG|INFO|WARNING|WARN)\b|Warning:|\bexcept\b")


def tail(file: Path, lines: int = TAIL_LINES, begin: int = 0) -> str:
    """The last lines of a text file from a byte on, of which no more than 64 KiB are read; "" where there is none."""
    try:
        with file.open("rb") as opened:
            opened.seek(max(begin, opened.seek(0, os.SEEK_END) - TAIL_BYTES))
            return "\n".join(opened.read().decode(errors="replace").splitlines()[-lines:])
    except FileNotFoundError:
        return ""


def read_lines(file: Path, begin: int = 0) -> Iterator[str]:
    """The lines of a text file from a byte on, as far as an error is looked for; none where there is no file."""
    try:
        with file.open("rb") as opened:
            opened.seek(begin)
            left = MAX_SEARCHED_BYTES
            while left > 0 and (line := opened.readline(left)):
                left -= len(line)
                yield line.decode(errors="replace").rstrip("\r\n")
    except FileNotFoundError:
        return


def first_error(lines: Iterable[str]) -> tuple[int, list[str]]:
    """The number, from 1, of the first line that names an error, and that line with a few after it; 0 and none.

    A raised exception counts before a line that a logger calls an error: that one often says only that there was one.
    """
    logged: tuple[int, list[str]] = (0, [])
    raised = _RaisedDetector()
    numbered = iter(enumerate(lines, 1))
    for number, line in numbered:
        if raised(line[:MAX_LINE_LENGTH]):
            return number, [line, *(each for _, each in islice(numbered, LINES_AFTER_ERROR))]
        if not logged[0] and LOGGED.search(line[:MAX_LINE_LENGTH]) and not HARMLESS.search(line[:MAX_LINE_LENGTH]):
            logged = number, [line]
    return logged


class _RaisedDetector:
    """Decides, line by line, whether one names an exception: by its word, or by its place at the end of a traceback."""

    def __init__(self) -> None:
        self._mark: str | None = None  # what a logger puts before each line of the traceback that is being read

    def __call__(self, line: str) -> bool:
        if (place := line.find(TRACEBACK)) >= 0:
            self._mark = None if HARMLESS.search(line) else _without_digits(line[:place])
            return False
        if self._mark is not None and _without_digits(line[: len(self._mark)]) == self._mark:
            rest = line[len(self._mark) :]
            if rest and not rest[0].isspace():
                return True
        return bool(RAISED.match(line) or (RAISED.search(line) and not HARMLESS.search(line)))


def _without_digits(text: str) -> str:
    return re.sub(r"\d", "0", text)


def excerpt(lines: Iterable[str], end: str) -> str:
    """What an error message quotes of a log: its end, preceded by the first error in it unless the end has that one.

    lines: from the first on. end: the last ones.
    """
    number, found = first_error(lines)
    ending = f"The end of its log:\n{end}"
    if not found or found[0] in end.splitlines():
        return ending
    cut = "\n".join(line[:MAX_LINE_LENGTH] for line in found)
    return f"The first error in its log, line {number}:\n{cut}\n{ending}"
