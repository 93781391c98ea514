"""`races query`: ask the warehouse in SQL."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from races.assets.cli.console import meant, print_csv, print_table, say
from races.environments.errors import SettingError, UnknownName
from races.environments.terminal import visible

if TYPE_CHECKING:
    import pyarrow as pa

    from races.resources.store.saved_queries import SavedQuery
    from races.resources.store.views import Lengths
    from races.resources.store.warehouse import Warehouse

ROWS = 50  # of a printed table, unless told otherwise
CELL = 100  # characters of a value in a printed table
NAME = re.compile(r"[A-Za-z0-9_./-]+")
READ = re.compile(r'\b(?:from|join)\s+"?(\w+)', re.IGNORECASE)  # what a SELECT reads


@click.command("query")
@click.argument("query", required=False)
@click.option("--param", "given", multiple=True, metavar="NAME=VALUE", help="A parameter of a named query; repeatable.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV with whole values instead of a table.")
@click.option("--limit", type=click.IntRange(min=1), help=f"Print so many rows [default: {ROWS}; with --csv all].")
@click.option("--tables", "task", flag_value="tables", help="List the tables and views with their numbers of rows.")
@click.option("--list", "task", flag_value="list", help="List the named queries.")
@click.option("--describe", "task", flag_value="describe", help="Say what a named query answers, takes and gives.")
@click.option("--catalog", "task", flag_value="catalog", help="Write races.duckdb anew: all tables, views and queries.")
@click.option(
    "--tokenizer",
    type=click.Path(path_type=Path),
    help="Hugging Face folder with tokenizer.json, in whose tokens text_length() counts instead of characters.",
)
@click.option(
    "--warehouse",
    "root",
    type=click.Path(path_type=Path),
    envvar="RACES_WAREHOUSE",
    show_envvar=True,
    default="warehouse",
    show_default=True,
)
@click.option("--sql", "folder", type=click.Path(file_okay=False, path_type=Path), help="Folder of named queries.")
def query_warehouse(
    query: str | None,
    given: tuple[str, ...],
    as_csv: bool,
    limit: int | None,
    task: str | None,
    tokenizer: Path | None,
    root: Path,
    folder: Path | None,
) -> None:
    """Ask the warehouse in SQL.

    QUERY is SQL of DuckDB, the name of a file NAME.sql in the folder of named queries, or the name of a table.

    \b
    races query "select operator, count(*) from problems group by all"
    races query paths_through --param brick=run_lengths
    """  # noqa: D301 - click looks for the character that \b stands for
    # Not at the top: Dagster and DuckDB take a second to import, which the other commands do without.
    from races.resources.store.saved_queries import FOLDER, saved_queries

    folder = FOLDER if folder is None else folder
    named = saved_queries(folder)
    if task == "list":
        if not named:
            raise SettingError(f"expected files NAME.sql in {folder}, got none")
        print_table(("query", "what it gives"), [(name, each.summary) for name, each in named.items()])
        return
    if query is None and task not in ("tables", "catalog"):
        raise click.UsageError("expected a QUERY, --tables, --list or --catalog, got none")
    if task == "describe":
        _describe(query or "", named)
        return
    warehouse = stored_warehouse(root)
    selects = folder if folder.is_dir() else None
    if task == "catalog":
        from races.assets.tables.table_catalog import query_context

        say(str(warehouse.refresh_catalog(query_context=query_context(selects))))
        return
    if task == "tables" or query is None:
        print_table(("table", "rows"), _tables(warehouse, selects), ["rows"])
        return
    _ask(query, given, warehouse, named, selects, tokenizer, limit, as_csv)


def _ask(
    query: str,
    given: tuple[str, ...],
    warehouse: "Warehouse",
    named: Mapping[str, "SavedQuery"],
    selects: Path | None,
    tokenizer: Path | None,
    limit: int | None,
    as_csv: bool,
) -> None:
    """Print the answer to a query."""
    from races.assets.tables.table_catalog import query_context

    values = None
    if query in named:
        values = named[query].values(given)
    elif given:
        raise SettingError(f"expected --param with the name of a query, see --list, got it with {query!r}")
    lengths = (token_lengths(tokenizer), "tokens") if tokenizer else None
    sql = _sql(query, warehouse, named)
    found = warehouse.query(sql, params=values, query_context=query_context(selects, lengths), printed=True)
    _say_what_is_empty(named[query].body if query in named else sql, named, warehouse)
    shown = found.slice(0, min(found.num_rows, limit or (found.num_rows if as_csv else ROWS)))
    rows = zip(*map(_values, shown.columns), strict=True)
    if as_csv:
        print_csv(found.column_names, ([_field(value) for value in row] for row in rows))
        return
    numbers = [field.name for field in found.schema if str(field.type).startswith(("int", "uint", "float", "double"))]
    print_table(found.column_names, ([_cell(value) for value in row] for row in rows), numbers)
    say(f"{shown.num_rows} of {found.num_rows} rows")


def _describe(query: str, named: Mapping[str, "SavedQuery"]) -> None:
    """Print the documentation of a named query."""
    if query not in named:
        raise UnknownName(f"there is no query {query!r}{meant(query, named) or ': see --list'}")
    asked = named[query]
    say(f"{asked.name}: {asked.summary}")
    if asked.parameters:
        say("\nIt takes, as --param NAME=VALUE (null: any):")
        defaults = ["has to be given" if each.default is None else each.default for each in asked.parameters]
        rows = [(p.name, p.type, d, p.meaning) for p, d in zip(asked.parameters, defaults, strict=True)]
        print_table(("parameter", "type", "default", "meaning"), rows)
    if asked.columns:
        say("\nIt gives:")
        print_table(("column", "type", "meaning"), [(each.name, each.type, each.meaning) for each in asked.columns])


def token_lengths(folder: Path) -> "Lengths":
    """What counts the tokens of texts under the tokenizer of a folder, special tokens left out."""
    import pyarrow as pa

    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise SettingError(
            "expected the package tokenizers for --tokenizer, got none: pip install tokenizers"
        ) from error
    file = folder / "tokenizer.json"
    if not file.is_file():
        raise SettingError(f"expected a folder with tokenizer.json as --tokenizer, got {str(folder)!r}")
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # tokenizers raises nothing narrower
        raise SettingError(
            f"expected a tokenizer of Hugging Face in {file}, got one that cannot be read: {error}"
        ) from error

    def lengths(texts: pa.ChunkedArray) -> pa.Array:
        encoded = tokenizer.encode_batch(texts.to_pylist(), add_special_tokens=False)
        return pa.array([len(each.ids) for each in encoded], pa.int64())

    return lengths


def stored_warehouse(root: Path) -> "Warehouse":
    """The warehouse in a folder; SettingError where there is no such folder."""
    if not root.is_dir():
        raise SettingError(
            f"expected a folder as the warehouse (--warehouse or RACES_WAREHOUSE), got {str(root)!r}; "
            "make run fills one"
        )
    from races.resources.store.warehouse import Warehouse

    return Warehouse(root=str(root))


def _sql(query: str, warehouse: "Warehouse", named: Mapping[str, "SavedQuery"]) -> str:
    """The SQL that a query means: itself, or that of a named query or of a whole table."""
    if not NAME.fullmatch(query):
        return query
    if query in named:
        return named[query].sql
    tables = warehouse.datasets()
    if query in tables:
        return f'select * from "{query}"'
    known = [*named, *tables]
    raise UnknownName(f"there is no query or table {query!r}{meant(query, known) or ': see --list and --tables'}")


def _say_what_is_empty(sql: str, named: Mapping[str, "SavedQuery"], warehouse: "Warehouse") -> None:
    """Say on stderr which tables behind a SELECT have not been made, lest an empty answer be taken for a finding."""
    from races.assets.tables.table_catalog import known_tables
    from races.resources.store.materializations import MATERIALIZATIONS
    from races.resources.store.warehouse import MAKE_COMMAND

    seen: set[str] = set()
    waiting = [sql]
    while waiting:
        new = set(READ.findall(waiting.pop())) - seen
        seen |= new
        waiting += [named[name].body for name in new if name in named]
    for name in sorted((seen & known_tables().keys()) - set(warehouse.datasets())):
        how = (
            "every asset that is made from now on adds a row"
            if name == MATERIALIZATIONS
            else f"to make it: {MAKE_COMMAND} {name}"
        )
        say(f"{name} is not there yet and counts as empty; {how}", err=True)


def _tables(warehouse: "Warehouse", selects: Path | None) -> Iterator[tuple[str, str]]:
    """Each view with its number of rows, or with the reason why it has none; no table that is not made yet."""
    import duckdb

    from races.assets.tables.table_catalog import query_context

    asked = query_context(selects)
    hidden = {"skipped_views", *asked.empty} - set(warehouse.datasets())
    with warehouse.connect(query_context=asked) as connection:
        views = connection.sql("select view_name from duckdb_views() where not internal order by all").fetchall()
        for (name,) in views:
            if name in hidden:
                continue
            try:
                [(rows,)] = connection.execute(f'select count(*) from "{name}"').fetchall()
                yield name, f"{rows:,}"
            except duckdb.Error as error:
                yield name, str(error).splitlines()[0]
        for name, reason in connection.sql("select name, reason from skipped_views order by all").fetchall():
            yield name, f"skipped: {reason.splitlines()[0]}"


def _values(column: "pa.ChunkedArray") -> list[Any]:
    """The values of a column; texts that are no UTF-8, which a file of others may hold, with escapes."""
    try:
        whole: list[Any] = column.to_pylist()
        return whole
    except ValueError:
        return [_value(each) for each in column]


def _value(value: "pa.Scalar[Any]") -> Any:
    try:
        return value.as_py()
    except UnicodeDecodeError as error:
        return error.object.decode(errors="backslashreplace")
    except ValueError as error:  # a struct with two fields of one name, a broken text within a list
        return f"cannot be shown: {error}"


def _field(value: Any) -> Any:
    """A value for CSV: what has parts as JSON."""
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else value


def _cell(value: Any) -> str:
    """A value for a table: on one line, cut where it is long."""
    if value is None:
        return "null"
    if isinstance(value, float):
        return format(value, ".6g" if abs(value) < 1e6 else ".1f")
    text = " ".join(visible(str(_field(value))).split())
    return text if len(text) <= CELL else f"{text[: CELL - 1]}…"
