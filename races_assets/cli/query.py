"""`races query`: ask the warehouse in SQL."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from environments.errors import SettingError, UnknownName
from races_assets.cli.console import meant, print_csv, print_table

if TYPE_CHECKING:
    from resources.warehouse import Warehouse

QUERIES = Path(__file__).parents[2] / "sql"  # beside the packages, in a checkout and in a wheel
ROWS = 50  # of a printed table, unless told otherwise
CELL = 100  # characters of a value in a printed table
NAME = re.compile(r"[A-Za-z0-9_./-]+")


@click.command("query")
@click.argument("query", required=False)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV with whole values instead of a table.")
@click.option("--limit", type=click.IntRange(min=1), help=f"Print so many rows [default: {ROWS}; with --csv all].")
@click.option("--tables", "task", flag_value="tables", help="List the tables and views with their numbers of rows.")
@click.option("--list", "task", flag_value="list", help="List the named queries.")
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
    query: str | None, as_csv: bool, limit: int | None, task: str | None, root: Path, folder: Path | None
) -> None:
    """Ask the warehouse in SQL.

    QUERY is SQL of DuckDB, the name of a file NAME.sql in the folder of named queries, or the name of a table.

    Example: races query "select operator, count(*) from problems group by all"
    """
    folder = QUERIES if folder is None else folder
    if task == "list":
        print_table(("query", "what it gives"), _named_queries(folder))
        return
    if query is None and task is None:
        raise click.UsageError("expected a QUERY, --tables or --list, got none")
    warehouse = _warehouse(root)
    if task == "tables" or query is None:
        print_table(("table", "rows"), _tables(warehouse, folder), ["rows"])
        return
    found = warehouse.query(_sql(query, warehouse, folder), selects=folder if folder.is_dir() else None)
    shown = found.slice(0, limit or (found.num_rows if as_csv else ROWS))
    rows = zip(*[column.to_pylist() for column in shown.columns], strict=True)
    if as_csv:
        print_csv(found.column_names, ([_field(value) for value in row] for row in rows))
        return
    numbers = [field.name for field in found.schema if str(field.type).startswith(("int", "uint", "float", "double"))]
    print_table(found.column_names, ([_cell(value) for value in row] for row in rows), numbers)
    click.echo(f"{shown.num_rows} of {found.num_rows} rows")


def _warehouse(root: Path) -> "Warehouse":
    if not root.is_dir():
        raise SettingError(f"expected a folder as the warehouse (--warehouse or RACES_WAREHOUSE), got {str(root)!r}")
    # Not at the top: Dagster and DuckDB take a second to import, which the other commands do without.
    from resources.warehouse import Warehouse

    return Warehouse(root=str(root))


def _named_queries(folder: Path) -> list[tuple[str, str]]:
    """The name and the first comment line of each query of a folder."""
    files = sorted(folder.rglob("*.sql"))
    if not files:
        raise SettingError(f"expected files NAME.sql in {folder}, got none")
    found = []
    for file in files:
        lines = file.read_text(encoding="utf-8").splitlines()
        comment = next((line.lstrip("- ") for line in lines if line.startswith("--")), "")
        found.append((file.relative_to(folder).with_suffix("").as_posix(), comment))
    return found


def _sql(query: str, warehouse: "Warehouse", folder: Path) -> str:
    """The SQL that a query means: itself, or that of a named query or of a whole table."""
    if not NAME.fullmatch(query):
        return query
    files = {file.relative_to(folder).with_suffix("").as_posix(): file for file in folder.rglob("*.sql")}
    if query in files:
        return files[query].read_text(encoding="utf-8")
    tables = warehouse.datasets()
    if query in tables:
        return f'select * from "{query}"'
    known = [*files, *tables]
    raise UnknownName(f"there is no query or table {query!r}{meant(query, known) or ': see --list and --tables'}")


def _tables(warehouse: "Warehouse", folder: Path) -> Iterator[tuple[str, str]]:
    """Each view with its number of rows, or with the reason why it cannot be counted."""
    import duckdb

    with warehouse.connect(folder if folder.is_dir() else None) as connection:
        views = connection.sql("select view_name from duckdb_views() where not internal order by all").fetchall()
        for (name,) in views:
            if name == "skipped_views":  # connect has said on stderr what it holds
                continue
            try:
                [(rows,)] = connection.execute(f'select count(*) from "{name}"').fetchall()
                yield name, f"{rows:,}"
            except duckdb.Error as error:
                yield name, str(error).splitlines()[0]


def _field(value: Any) -> Any:
    """A value for CSV: what has parts as JSON."""
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else value


def _cell(value: Any) -> str:
    """A value for a table: on one line, cut where it is long."""
    if value is None:
        return "null"
    if isinstance(value, float):
        return format(value, ".6g" if abs(value) < 1e6 else ".1f")
    text = " ".join(str(_field(value)).split())
    return text if len(text) <= CELL else f"{text[: CELL - 1]}…"
