"""Measure and print: python -m perf [--quick | --full] [--only NAME ...] [--json FILE]."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from perf import (
    cold,
    guessing,
    latency,
    million,
    reasoning_gym_tasks,
    sandbox,
    scoring,
    search,
    sequential,
    single,
    strategies,
)
from perf.measure import Effort, Measurement, machine

AREAS: dict[str, Callable[[Effort], Iterator[Measurement]]] = {
    each.NAME: each.measurements
    for each in (
        single,
        reasoning_gym_tasks,
        sequential,
        search,
        strategies,
        scoring,
        guessing,
        latency,
        sandbox,
        cold,
        million,
    )
}
HEAD = ("area", "measurement", "target", "measured", "unit", "verdict", "note")
TITLES = {
    Effort.QUICK: "a quick run, to see that everything runs: its numbers say little",
    Effort.USUAL: "rates are for a CPU second of one core, the best of 3",
    Effort.FULL: "rates are for a CPU second of one core, the best of 3",
}
WIDE = 220  # columns where the output is no terminal


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the areas that were asked for, print a table and write it as JSON where asked to."""
    options = _parsed(arguments)
    effort = Effort.QUICK if options.quick else Effort.FULL if options.full else Effort.USUAL
    about = machine()
    measured: list[Measurement] = []
    for name in options.only or AREAS:
        began = time.monotonic()
        measured += AREAS[name](effort)
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    _show(about, effort, measured)
    if options.json:
        content = {"machine": about, "effort": effort.name.lower(), "measurements": [each.row() for each in measured]}
        options.json.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m perf", description="Measure how fast this is.")
    much = parser.add_mutually_exclusive_group()
    much.add_argument("--quick", action="store_true", help="a few hundred items, to see that everything runs")
    much.add_argument("--full", action="store_true", help="a million problems of each kind as well")
    parser.add_argument("--only", action="append", choices=AREAS, metavar="NAME", help=", ".join(AREAS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the measurements here too")
    return parser.parse_args(arguments)


def _show(about: dict[str, str], effort: Effort, measured: Sequence[Measurement]) -> None:
    """The line of the machine and the table."""
    console = Console(width=None if sys.stdout.isatty() else WIDE, markup=False, emoji=False, highlight=False)
    console.print(", ".join(f"{name} {value}" for name, value in about.items()))
    table = Table(*HEAD, title=TITLES[effort])
    table.columns[2].justify = table.columns[3].justify = "right"
    table.columns[1].overflow = table.columns[-1].overflow = "fold"
    for each in measured:
        table.add_row(*each.cells())
    console.print(table)


if __name__ == "__main__":
    sys.exit(main())
