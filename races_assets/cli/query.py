"""`races query`: query the warehouse in SQL."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from races.assets.cli.console import print_csv, print_table, say
from races.environments.errors import SettingError, UnknownName, did_you_mean
from races.environments.terminal import visible

if TYPE_CHECKING:
    import pyarrow as pa

    from races.resources.store.saved_queries import SavedQuery
    from races.resources.store.views import Lengths
    from races.resources.store.warehouse import Warehouse

DEFAULT_ROWS = 50  # of a printed table
MAX_CELL_WIDTH = 100  # characters of a value in a printed table
QUERY_NAME = re.compile(r"[A-Za-z0-9_./-]+")
TABLE_READ = re.compile(r'\b(?:from|join)\s+"?(\w+)', re.IGNORECASE)  # what a SELECT reads


@click.command("query")
@click.argument("query", required=False)
@click.option("--param", "given", multiple=True, metavar="NAME=VALUE", help="A parameter of a saved query; repeatable.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV with whole values instead of a table.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help=f"Print at most this many rows [default: {DEFAULT_ROWS}; with --csv all].",
)
@click.option("--tables", "task", flag_value="tables", help="List the tables and views with their row counts.")
@click.option("--list", "task", flag_value="list", help="List the saved queries.")
@click.option(
    "--describe", "task", flag_value="describe", help="Describe a saved query: its answer, parameters and columns."
)
@click.option(
    "--catalog", "task", flag_value="catalog", help="Rewrite races.duckdb: all tables, views and saved queries."
)
@click.option(
    "--tokenizer",
    type=click.Path(path_type=Path),
    help="Hugging Face folder with a tokenizer.json; text_length() then counts its tokens instead of characters.",
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
@click.option("--sql", "folder", type=click.Path(file_okay=False, path_type=Path), help="Folder of saved queries.")
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
    """Query the warehouse in SQL.

    QUERY is DuckDB SQL, the name of a saved query, or the name of a table.

    \b
    races query "select operator, count(*) from problems group by all"
    races query paths_through --param brick=run_lengths
    """  # noqa: D301 - click looks for the character that \b stands for
    # Not at the top: Dagster and DuckDB take seconds to import, and the other commands do not need them.
    from races.resources.store.saved_queries import FOLDER, saved_queries

    folder = FOLDER if folder is None else folder
    saved = saved_queries(folder)
    if task == "list":
        _list(saved, folder)
        return
    if query is None and task not in ("tables", "catalog"):
        raise click.UsageError("expected a QUERY, --tables, --list or --catalog, got none")
    if task == "describe":
        _describe(query or "", saved)
        return
    warehouse = stored_warehouse(root)
    sql_folder = folder if folder.is_dir() else None
    if task == "catalog":
        _write_catalog(warehouse, sql_folder)
    elif task == "tables" or query is None:
        print_table(("table", "rows"), _tables(warehouse, sql_folder), ["rows"])
    else:
        _run(query, given, warehouse, saved, sql_folder, tokenizer, limit, as_csv)


def _list(saved: Mapping[str, "SavedQuery"], folder: Path) -> None:
    """Print the saved queries of a folder with their summaries."""
    if not saved:
        raise SettingError(f"expected files NAME.sql in {folder}, got none")
    print_table(("query", "summary"), [(name, each.summary) for name, each in saved.items()])


def _write_catalog(warehouse: "Warehouse", sql_folder: Path | None) -> None:
    """Rewrite the catalogue of views, and print its path."""
    from races.assets.tables.table_catalog import query_context

    say(str(warehouse.refresh_catalog(query_context=query_context(sql_folder))))


def _run(
    query: str,
    given: tuple[str, ...],
    warehouse: "Warehouse",
    saved: Mapping[str, "SavedQuery"],
    sql_folder: Path | None,
    tokenizer: Path | None,
    limit: int | None,
    as_csv: bool,
) -> None:
    """Run a query and print its rows."""
    from races.assets.tables.table_catalog import query_context

    values = None
    if query in saved:
        values = saved[query].values(given)
    elif given:
        raise SettingError(f"expected --param with the name of a query (see --list), got it with {query!r}")
    lengths = (token_lengths(tokenizer), "tokens") if tokenizer else None
    sql = _sql(query, warehouse, saved)
    found = warehouse.query(sql, params=values, query_context=query_context(sql_folder, lengths), printed=True)
    _report_missing_tables(saved[query].body if query in saved else sql, saved, warehouse)
    shown = found.slice(0, min(found.num_rows, limit or (found.num_rows if as_csv else DEFAULT_ROWS)))
    rows = zip(*map(_values, shown.columns), strict=True)
    if as_csv:
        print_csv(found.column_names, ([_field(value) for value in row] for row in rows))
        return
    numbers = [field.name for field in found.schema if str(field.type).startswith(("int", "uint", "float", "double"))]
    print_table(found.column_names, ([_cell(value) for value in row] for row in rows), numbers)
    say(f"{shown.num_rows} of {found.num_rows} rows")


def _describe(query: str, saved: Mapping[str, "SavedQuery"]) -> None:
    """Print the documentation of a saved query."""
    if query not in saved:
        raise UnknownName(f"there is no query {query!r}{did_you_mean(query, saved, before=': ') or ': see --list'}")
    documented = saved[query]
    say(f"{documented.name}: {documented.summary}")
    if documented.parameters:
        say("\nParameters, as --param NAME=VALUE (null: any):")
        defaults = ["required" if each.default is None else each.default for each in documented.parameters]
        rows = [(p.name, p.type, d, p.meaning) for p, d in zip(documented.parameters, defaults, strict=True)]
        print_table(("parameter", "type", "default", "meaning"), rows)
    if documented.columns:
        say("\nColumns:")
        print_table(
            ("column", "type", "meaning"), [(each.name, each.type, each.meaning) for each in documented.columns]
        )


def token_lengths(folder: Path) -> "Lengths":
    """A function that counts the tokens of texts with the tokenizer of a folder, without special tokens."""
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
            f"expected a Hugging Face tokenizer in {file}, got one that cannot be read: {error}"
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


def _sql(query: str, warehouse: "Warehouse", saved: Mapping[str, "SavedQuery"]) -> str:
    """The SQL to run: the query itself, or that of a saved query or of a whole table."""
    if not QUERY_NAME.fullmatch(query):
        return query
    if query in saved:
        return saved[query].sql
    tables = warehouse.datasets()
    if query in tables:
        return f'select * from "{query}"'
    known = [*saved, *tables]
    raise UnknownName(
        f"there is no query or table {query!r}{did_you_mean(query, known, before=': ') or ': see --list and --tables'}"
    )


def _report_missing_tables(sql: str, saved: Mapping[str, "SavedQuery"], warehouse: "Warehouse") -> None:
    """Report on stderr which tables that a SELECT reads do not exist yet: an empty result would look like a finding."""
    from races.assets.tables.table_catalog import known_tables
    from races.resources.store.materializations import MATERIALIZATIONS
    from races.resources.store.warehouse import MAKE_COMMAND

    seen: set[str] = set()
    waiting = [sql]
    while waiting:
        new = set(TABLE_READ.findall(waiting.pop())) - seen
        seen |= new
        waiting += [saved[name].body for name in new if name in saved]
    for name in sorted((seen & known_tables().keys()) - set(warehouse.datasets())):
        how = (
            "every asset that is materialized from now on adds a row"
            if name == MATERIALIZATIONS
            else f"to make it: {MAKE_COMMAND} {name}"
        )
        say(f"{name} is not there yet and counts as empty; {how}", err=True)


def _tables(warehouse: "Warehouse", sql_folder: Path | None) -> Iterator[tuple[str, str]]:
    """Each view with its row count, or with the reason why it has none; no table that does not exist yet."""
    import duckdb

    from races.assets.tables.table_catalog import query_context

    context = query_context(sql_folder)
    hidden = {"skipped_views", *context.empty} - set(warehouse.datasets())
    with warehouse.connect(query_context=context) as connection:
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
    """The values of a column; text that is not UTF-8, which a file may hold, with escapes."""
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
    """A value for CSV: lists and structs as JSON."""
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else value


def _cell(value: Any) -> str:
    """A value for a table: on one line, cut off where it is long."""
    if value is None:
        return "null"
    if isinstance(value, float):
        return format(value, ".6g" if abs(value) < 1e6 else ".1f")
    text = " ".join(visible(str(_field(value))).split())
    return text if len(text) <= MAX_CELL_WIDTH else f"{text[: MAX_CELL_WIDTH - 1]}…"
