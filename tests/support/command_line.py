"""The command line in this process, and what its tests write and read."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from races.assets.cli import main
from races.assets.cli.generate import make_problem
from races.environments import get
from races.environments.operators import Problem

RACES = Path(sys.executable).with_name("races")
PATH = ["gcd_pair", "digit_sum"]
LISTS = ["running_totals", "swap_halves", "neighbour_differences"]


def races(*arguments: str | Path, stdin: str | None = None, **environment: str) -> Result:
    """The outcome of a command; an exception that is not an exit fails the test."""
    # A test runner may set a width of its own, in which rows would be folded.
    env = {"COLUMNS": "200", **environment}
    result = CliRunner().invoke(main, [str(each) for each in arguments], input=stdin, env=env)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def printed(*arguments: str | Path, stdin: str | None = None) -> str:
    """What a command that succeeds prints."""
    result = races(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: str | Path, stdin: str | None = None) -> str:
    """What a command that fails says on stderr."""
    result = races(*arguments, stdin=stdin)
    assert result.exit_code == 1, result.output
    assert result.stderr.startswith("error: ")
    return result.stderr


def problem(operator: str, *names: str, seed: int = 0) -> Problem:
    """The problem that `races compose` and `races show` make of these bricks at level 3."""
    return make_problem(operator, [get(name) for name in names], 3, seed)


def write_lines(file: Path, records: Sequence[object]) -> Path:
    """Write a file with one JSON value per line."""
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return file


def read_lines(text: str) -> list[dict[str, Any]]:
    """The JSON objects of a text with one per line."""
    return [json.loads(line) for line in text.splitlines()]


def cells(table: str) -> list[list[str]]:
    """The words of each line."""
    return [line.split() for line in table.splitlines()]
