"""DuckDB over the warehouse: a view a dataset, views from `.sql` files, and a connection that can only read.

DuckDB's own reader takes a file's footer and its rows in two openings. Between them a writer may replace the file, and
then the query fails or, worse, answers from both. Our connections therefore read pinned pyarrow datasets; only the
catalogue for people, which has to be a file, reads by path.
"""

import tempfile
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds

from resources.folders import FILE, WarehouseError, checked_name, dimension_types

SKIPPED = "skipped_views"
TYPES = {pa.int64(): "bigint", pa.string(): "varchar"}


def quoted_name(name: str) -> str:
    """An identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """A string literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def literal_glob(path: Path) -> str:
    """A pattern that matches this path alone, whatever characters it has."""
    return "".join(f"[{letter}]" if letter in "[*?" else letter for letter in str(path))


def dataset_select(folder: Path, parts: Iterable[Mapping[str, str]]) -> str:
    """The SELECT that reads a dataset: one column more a dimension, columns matched by name, no stray file.

    It names the dimensions in the pattern, so that new parts are seen and files that are no part are not.
    """
    types = dimension_types(folder.name, parts)
    pattern = "/".join([literal_glob(folder), *(f"{dimension}=*" for dimension in types), FILE])
    options = "hive_partitioning = false"
    if types:
        typed = ", ".join(f"{quoted_text(dimension)}: {TYPES[kind]}" for dimension, kind in types.items())
        options = f"hive_partitioning = true, hive_types = {{{typed}}}"
    return f"select * from read_parquet({quoted_text(pattern)}, {options}, union_by_name = true)"


def open_memory() -> duckdb.DuckDBPyConnection:
    """An empty database in memory that fetches no extension and spills into a temporary folder of its own."""
    # DuckDB's default is ".tmp" in the current folder, where two processes would meet. It is made on first use only.
    spill = Path(tempfile.gettempdir(), f"races-duckdb-{uuid.uuid4().hex}")
    return duckdb.connect(
        config={
            "allow_community_extensions": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "temp_directory": str(spill),
        }
    )


def create_views(
    connection: duckdb.DuckDBPyConnection,
    sources: Mapping[str, ds.Dataset | str | WarehouseError],
    selects: Path | None,
) -> dict[str, str]:
    """Create a view for each source (rows, a SELECT, or why there is none) and each file of `selects`.

    Why the others have none is returned, and is in the connection as the view `skipped_views (name, reason)`.
    """
    skipped = {name: str(source) for name, source in sources.items() if isinstance(source, WarehouseError)}
    for name, source in sources.items():
        if isinstance(source, ds.Dataset):
            connection.register(name, source)
    skipped |= _create(connection, {name: source for name, source in sources.items() if isinstance(source, str)})
    if selects is not None:
        # A file with the name of a dataset is the query behind that table, and the table has its rows already.
        files = {file.stem: file for file in sorted(selects.glob("*.sql")) if file.stem not in sources}
        questions = {}
        for name, file in files.items():
            try:
                questions[checked_name(name)] = one_select(connection, file.read_text(encoding="utf-8"))
            except WarehouseError as error:
                skipped[name] = str(error)
        skipped |= _create(connection, questions)
    rows = [f"({quoted_text(name)}, {quoted_text(reason)})" for name, reason in sorted(skipped.items())]
    known = f"values {', '.join(rows)}" if rows else "select '', '' where false"
    connection.execute(f"create or replace view {SKIPPED} as select * from ({known}) as skipped (name, reason)")
    return skipped


def _create(connection: duckdb.DuckDBPyConnection, selects: Mapping[str, str]) -> dict[str, str]:
    """Create views in whatever order their references to one another ask for; why each of the others cannot be."""
    waiting = dict(selects)
    skipped: dict[str, str] = {}
    while waiting:
        skipped = {}
        for name, select in waiting.items():
            try:
                connection.execute(f"create view {quoted_name(name)} as {select}")
            except duckdb.Error as error:
                skipped[name] = str(error)
        if len(skipped) == len(waiting):
            break
        waiting = {name: waiting[name] for name in skipped}
    return skipped


def one_select(connection: duckdb.DuckDBPyConnection, text: str) -> str:
    """The text without the semicolons behind it, where it is one SELECT; WarehouseError otherwise."""
    try:
        kinds = [statement.type.name for statement in connection.extract_statements(text)]
    except duckdb.Error as error:
        raise WarehouseError(str(error)) from error
    if kinds != ["SELECT"]:
        raise WarehouseError(f"expected one SELECT, got {' and '.join(kinds) or 'nothing'}")
    return text.rstrip().rstrip(";")


def lock_down(connection: duckdb.DuckDBPyConnection) -> None:
    """Leave a connection what is registered in it: no file, no network, no extension, no way to ask for more."""
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
