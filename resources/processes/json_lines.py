"""Files of JSON lines that grow."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from races.resources.atomic import write_text


def lines(file: Path) -> list[dict[str, Any]]:
    """The whole lines of a file; none where there is no file."""
    if not file.exists():
        return []
    text = file.read_text()
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def append(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Add lines to a file, which must end with a whole one."""
    with file.open("a") as opened:
        opened.write(_text(rows))


def replace(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Make a file of these lines alone, whole or not at all."""
    write_text(file, _text(rows))


def _text(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)
