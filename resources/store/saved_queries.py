"""Saved queries: one SELECT a file, with a header that documents its parameters and columns.

The header is the comment at the top of the file: what the rows are; after `Takes:` one line for each parameter,
`$name type = default: meaning`, which must be given where it has no default; after `Gives:` one line for each column,
`name type: meaning`. Types are those of DuckDB.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from races.environments.errors import SettingError, UnknownName, did_you_mean
from races.resources.store.folders import WarehouseError
from races.resources.store.markdown import row, text

FOLDER = Path(__file__).parents[3] / "sql"  # beside the packages, in a checkout and in a wheel
TAKES, GIVES = "Takes:", "Gives:"
PARAMETER = re.compile(r"\$([a-z_]+) ([a-z]+)(?: = (\S+))?: (.+)")
COLUMN = re.compile(r"([a-z_0-9]+) ([a-z\[\]]+): (.+)")
USE = re.compile(r"\$([a-z_]+)\b")
NULL = "null"

Value: TypeAlias = str | int | float | None
TYPES: dict[str, Callable[[str], Value]] = {"varchar": str, "bigint": int, "double": float}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a saved query; default is None where it must be given, and `null` where it may be left open."""

    name: str
    type: str
    default: str | None
    meaning: str

    def value(self, text: str | None) -> Value:
        """The value that a text means, none for `null`; SettingError where it is not of the type."""
        if text is None or text == NULL:
            return None
        try:
            return TYPES[self.type](text)
        except ValueError:
            raise SettingError(f"expected a {self.type} as {self.name}, got {text!r}") from None

    @property
    def written(self) -> str:
        """As in the header, without the meaning."""
        return f"{self.name} {self.type}" + (f" = {self.default}" if self.default is not None else "")

    @property
    def literal(self) -> str:
        """The default as SQL; an open value where there is none."""
        if self.default is None or self.default == NULL:
            return f"null::{self.type}"
        text = self.default.replace("'", "''")
        return f"'{text}'::{self.type}"


@dataclass(frozen=True)
class Column:
    """A column of a saved query."""

    name: str
    type: str
    meaning: str


@dataclass(frozen=True)
class SavedQuery:
    """A SELECT with its documentation; name: of the file, with its folders, without `.sql`."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    columns: tuple[Column, ...]
    sql: str

    def values(self, given: Iterable[str]) -> dict[str, Value]:
        """The value of each parameter, from texts `name=value` and the defaults; SettingError, UnknownName if wrong."""
        texts: dict[str, str] = {}
        for each in given:
            name, equals, text = each.partition("=")
            if not equals:
                raise SettingError(f"expected a parameter as name=value, got {each!r}")
            if name in texts:
                raise SettingError(f"expected {name} once, got {texts[name]!r} and {text!r}")
            texts[name] = text
        known = {each.name: each for each in self.parameters}
        for name in texts.keys() - known.keys():
            question = did_you_mean(name, known, most=1, after=" ")
            raise UnknownName(f"{self.name} has no parameter {name!r}: {question}{self._takes()}")
        lacking = [name for name, each in known.items() if each.default is None and name not in texts]
        if lacking:
            raise SettingError(f"expected a value of {', '.join(lacking)}, got none: {self._takes()}")
        return {name: each.value(texts.get(name, each.default)) for name, each in known.items()}

    def _takes(self) -> str:
        return f"it takes {', '.join(each.written for each in self.parameters) or 'none'}"

    @property
    def body(self) -> str:
        """The SQL without its header."""
        return _body(self.sql)

    def definition(self, select: str) -> str:
        """The statement that makes it a view or, where it has parameters, a macro that is called like a table.

        select: its SQL, checked. In a macro a parameter hides columns of its name that are written without their table,
        and DuckDB refuses some that are joined by: it is best named as no column is.
        """
        name = '"' + self.name.replace('"', '""') + '"'
        if not self.parameters:
            return f"create view {name} as {select}"
        takes = ", ".join(
            each.name if each.default is None else f"{each.name} := {each.literal}" for each in self.parameters
        )
        return f"create macro {name}({takes}) as table {USE.sub(lambda found: found[1], select)}"


def saved_queries(folder: Path = FOLDER) -> dict[str, SavedQuery]:
    """The saved queries of a folder and its subfolders by name; WarehouseError for a header that cannot be read."""
    files = {file.relative_to(folder).with_suffix("").as_posix(): file for file in sorted(folder.rglob("*.sql"))}
    return {name: parse_query(name, read_sql(file)) for name, file in files.items() if file.is_file()}


def read_sql(file: Path) -> str:
    """The text of a file; WarehouseError, with its name, where it cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WarehouseError(f"expected SQL in UTF-8 in {file}, got {error}") from error


def parse_query(name: str, sql: str) -> SavedQuery:
    """A saved query from the text of its file; it needs no header where it has no parameters."""
    summary: list[str] = []
    parameters: list[Parameter] = []
    columns: list[Column] = []
    section = ""
    for line in _header(sql):
        if line in (TAKES, GIVES):
            section = line
        elif section == TAKES:
            found = _match(name, PARAMETER, line, "$name type = default: meaning")
            parameters.append(Parameter(found[1], found[2], found[3], found[4]))
        elif section == GIVES:
            found = _match(name, COLUMN, line, "name type: meaning")
            columns.append(Column(found[1], found[2], found[3]))
        else:
            summary.append(line)
    _check(name, parameters, sql)
    return SavedQuery(name, " ".join(summary), tuple(parameters), tuple(columns), sql)


def _header(sql: str) -> Iterable[str]:
    """The lines of the comment at the top, without the dashes; empty ones are left out."""
    for line in sql.splitlines():
        if not line.startswith("--"):
            return
        if text := line.removeprefix("--").strip():
            yield text


def _body(sql: str) -> str:
    return "\n".join(line for line in sql.splitlines() if not line.startswith("--"))


def _match(name: str, pattern: re.Pattern[str], line: str, expected: str) -> re.Match[str]:
    found = pattern.fullmatch(line)
    if not found:
        raise WarehouseError(f"saved query {name}: expected a line {expected!r}, got {line!r}")
    return found


def _check(name: str, parameters: list[Parameter], sql: str) -> None:
    """Raise WarehouseError unless the SELECT uses the parameters of its header, all of them and no others."""
    used, declared = set(USE.findall(_body(sql))), {each.name for each in parameters}
    if used != declared:
        raise WarehouseError(
            f"saved query {name}: expected parameters {sorted(used)} after {TAKES}, got {sorted(declared)}"
        )
    for each in parameters:
        if each.type not in TYPES:
            raise WarehouseError(f"saved query {name}: expected {each.name} as {', '.join(TYPES)}, got {each.type}")
        each.value(each.default)


def page(queries: Iterable[SavedQuery]) -> str:
    """A page of Markdown: what each saved query returns, its parameters and its columns."""
    return "\n".join(["# Saved queries", "", INTRODUCTION, *(_section(each) for each in queries)])


INTRODUCTION = """\
The files of `sql/`, one SELECT each. `races query --list` lists them, `races query NAME --describe` shows what is
below, and `races query NAME --param parameter=value` runs one. In SQL, both in `races query` and in
`warehouse/races.duckdb`, a saved query without parameters is a view, `from brick_use`; one with parameters is called
like a function, `from paths_through(brick := 'run_lengths')`. A parameter with a default may be left out; `null` means
any. Tables that have not been made yet count as empty; in `races.duckdb` until it is rewritten, by `make run` or
`races query --catalog`.

This page is made by `python -m races.resources.store.saved_queries`.
"""


def _section(query: SavedQuery) -> str:
    lines = [f"## {text(query.name)}", "", query.summary, ""]
    if query.parameters:
        lines += ["| parameter | type | default | |", "| --- | --- | --- | --- |"]
        lines += [row((p.name, p.type, text(p.default or "required"), _in_cell(p.meaning))) for p in query.parameters]
        lines.append("")
    if query.columns:
        lines += ["| column | type | |", "| --- | --- | --- |"]
        lines += [row((each.name, each.type, _in_cell(each.meaning))) for each in query.columns]
        lines.append("")
    return "\n".join(lines)


def _in_cell(meaning: str) -> str:
    """A meaning, which is Markdown already."""
    return meaning.replace("|", "\\|")


if __name__ == "__main__":
    FOLDER.with_name("docs").joinpath("queries.md").write_text(page(saved_queries().values()), encoding="utf-8")
