"""What the commands share: errors without tracebacks, tables, text without control characters, suggested names."""

import csv
import io
import itertools
import logging
import os
import sys
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from errno import EPIPE
from typing import IO, Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from races.environments.errors import RacesError, UnknownName, did_you_mean
from races.environments.terminal import visible

WIDTH = 200  # columns where the output is not a terminal: one line per row, for grep


class Failure(click.ClickException):
    """A RacesError as the shell sees it: a message on stderr, exit code 1, no traceback."""

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(visible(f"error: {self.format_message()}"), file=file, err=True)


class Commands(click.Group):
    """A group of commands that turns every RacesError, and every OSError of a file, into a Failure."""

    def invoke(self, ctx: click.Context) -> Any:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # characters that the encoding of the shell lacks
        try:
            with _visible_warnings():
                return super().invoke(ctx)
        except RacesError as error:
            raise Failure(str(error)) from error
        except OSError as error:
            if error.errno == EPIPE:
                raise  # click exits quietly where the reader has gone
            raise Failure(str(error)) from error


class _Visible(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))


@contextmanager
def _visible_warnings() -> Iterator[None]:
    """Escape control characters in warnings, and in what is logged while logging is not configured."""
    plain, last = warnings.formatwarning, logging.lastResort
    formatter = last.formatter if last else None
    warnings.formatwarning = lambda *arguments, **options: visible(plain(*arguments, **options))
    if last:
        last.setFormatter(_Visible())
    try:
        yield
    finally:
        warnings.formatwarning = plain
        if last:
            last.setFormatter(formatter)


def say(text: str, err: bool = False, bold: bool = False) -> None:
    """Print a line of text, with control characters escaped."""
    click.secho(visible(text), err=err, bold=bold or None)


def known_name(kind: str, name: str, known: Collection[str]) -> str:
    """The name itself where it is known; else UnknownName with a suggestion."""
    if name not in known:
        raise UnknownName(f"there is no {kind} {name!r}{did_you_mean(name, known, before=': ')}")
    return name


def console(stderr: bool = False) -> Console:
    """A console that prints text as it is: what looks like markup in a statement is not markup."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else WIDTH
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


def print_table(
    head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Collection[str] = (), stderr: bool = False
) -> None:
    """Print a table; the columns in `numbers` are aligned to the right, and what is too wide is folded."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in head:
        table.add_column(visible(name), justify="right" if name in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(visible, row))
    console(stderr).print(table)


def print_csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows as CSV with a header; None is an empty field. Escaped on a terminal, unchanged in a file or pipe."""
    converted = _escaped if sys.stdout.isatty() else list
    plain = csv.writer(sys.stdout, lineterminator="\n")
    # csv does not quote a lone carriage return, at which every reader would end the row.
    quoted = csv.writer(sys.stdout, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in itertools.chain([head], rows):
        values = converted(row)
        (quoted if any("\r" in value for value in values if isinstance(value, str)) else plain).writerow(values)


def _escaped(values: Iterable[object]) -> list[object]:
    return [visible(value) if isinstance(value, str) else value for value in values]
