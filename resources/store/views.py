"""DuckDB over the warehouse: a view a dataset, saved queries of `.sql` files, and connections that can only read.

DuckDB's own reader opens a file twice, for its footer and for its rows. Between the two a writer may replace the file,
and then the query fails or, worse, mixes both. Our connections therefore read snapshots as pyarrow datasets; only
the catalogue for people, which has to be a file, reads by path.
"""

import tempfile
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
from duckdb.func import PythonUDFType
from duckdb.sqltypes import DuckDBPyType

from races.resources.store.folders import FILE, WarehouseError, checked_name, dimension_types, is_utf8
from races.resources.store.parquet_files import distinct_ignoring_case
from races.resources.store.saved_queries import parse_query, read_sql

SKIPPED = "skipped_views"
# Types of DuckDB whose every value is one of Python's.
FIT_PYTHON = frozenset(
    "boolean tinyint smallint integer bigint utinyint usmallint uinteger ubigint hugeint float double decimal varchar "
    "uuid enum null".split()
)
NESTED_TYPES = frozenset(("list", "array", "struct", "map"))
TYPES = {pa.int64(): "bigint", pa.string(): "varchar"}

Lengths: TypeAlias = Callable[[pa.ChunkedArray], pa.Array]


@dataclass(frozen=True)
class QueryContext:
    """What a connection offers besides the datasets.

    folder: of saved queries (races.resources.store.saved_queries), each of which becomes a view or a macro.
    empty: tables that need not be there; those that are not have these columns and no rows. lengths: how
    `text_length(text)` counts, as strings to 64-bit integers, and the unit that `length_unit()` gives; characters where
    there is none.
    """

    folder: Path | None = None
    empty: Mapping[str, pa.Schema] = field(default_factory=dict)
    lengths: tuple[Lengths, str] | None = None


def quoted_name(name: str) -> str:
    """An identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """A string literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def literal_glob(path: Path) -> str:
    """A pattern that matches this path alone, whatever characters it has."""
    return "".join(f"[{letter}]" if letter in "[*?" else letter for letter in str(path))


def dataset_select(folder: Path, partitions: Iterable[Mapping[str, str]]) -> str:
    """The SELECT that reads a dataset: one column more a dimension, columns matched by name, no stray file.

    It names the dimensions in the pattern, so that new partitions are seen and files that are no partition are not.
    """
    types = dimension_types(folder.name, partitions)
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
    query_context: QueryContext,
) -> dict[str, str]:
    """Create a view for each source (rows, a SELECT, or why there is none) and for what `query_context` adds.

    Why the others have none is returned, and is in the connection as the view `skipped_views (name, reason)`.
    """
    skipped = {}
    for name, source in sources.items():
        try:
            _register(connection, name, source)
        except (WarehouseError, duckdb.Error, pa.ArrowException) as error:
            skipped[name] = str(error)
    selects = {name: source for name, source in sources.items() if isinstance(source, str) and name not in skipped}
    selects |= {
        name: _no_rows(connection, schema) for name, schema in query_context.empty.items() if name not in sources
    }
    views = {name: f"create view {quoted_name(name)} as {select}" for name, select in selects.items()}
    skipped |= _create(connection, views)
    _create_lengths(connection, query_context)
    if query_context.folder is not None:
        # A file with the name of a dataset is the query behind that table, and the table has its rows already.
        files = {file.stem: file for file in sorted(query_context.folder.glob("*.sql")) if file.stem not in sources}
        saved_queries = {}
        for name, file in files.items():
            try:
                query = parse_query(checked_name(name), read_sql(file))
                saved_queries[name] = query.definition(one_select(connection, query.sql))
            except WarehouseError as error:
                skipped[name] = str(error)
        skipped |= _create(connection, saved_queries)
    rows = [f"({quoted_text(name)}, {quoted_text(reason)})" for name, reason in sorted(skipped.items())]
    known = f"values {', '.join(rows)}" if rows else "select '', '' where false"
    connection.execute(f"create or replace view {SKIPPED} as select * from ({known}) as skipped (name, reason)")
    return skipped


def checked_columns(name: str, schema: pa.Schema) -> None:
    """WarehouseError where DuckDB could not tell the columns of a dataset apart by their names."""
    if not schema.names:
        raise WarehouseError(f"expected {name} to have at least one column, got none")
    distinct_ignoring_case(schema.names)


def _register(connection: duckdb.DuckDBPyConnection, name: str, source: ds.Dataset | str | WarehouseError) -> None:
    """Make a dataset of pyarrow a view; raise what is there in the place of a source."""
    if isinstance(source, WarehouseError):
        raise source
    if name == SKIPPED:
        raise WarehouseError(f"expected a dataset of another name than {SKIPPED}, which says why others are left out")
    if isinstance(source, ds.Dataset):
        checked_columns(name, source.schema)
        connection.register(name, source)


def _no_rows(connection: duckdb.DuckDBPyConnection, schema: pa.Schema) -> str:
    """The SELECT of a table without rows."""
    rows = connection.from_arrow(schema.empty_table())
    columns = [f"null::{kind} as {quoted_name(name)}" for name, kind in zip(rows.columns, rows.types, strict=True)]
    return f"select {', '.join(columns)} where false"


def _create_lengths(connection: duckdb.DuckDBPyConnection, query_context: QueryContext) -> None:
    """Define `text_length` and `length_unit`."""
    unit = "characters"
    if query_context.lengths:
        lengths, unit = query_context.lengths
        connection.create_function("text_length", lengths, ["VARCHAR"], "BIGINT", type=PythonUDFType.ARROW)
    else:
        connection.execute("create macro text_length(text) as length(text)")
    connection.execute(f"create macro length_unit() as {quoted_text(unit)}")


def _create(connection: duckdb.DuckDBPyConnection, definitions: Mapping[str, str]) -> dict[str, str]:
    """Define views and macros in whatever order their references ask for; why each of the others cannot be."""
    waiting = dict(definitions)
    skipped: dict[str, str] = {}
    while waiting:
        skipped = {}
        for name, definition in waiting.items():
            try:
                connection.execute(definition)
            except duckdb.Error as error:
                skipped[name] = str(error)
        if len(skipped) == len(waiting):
            break
        waiting = {name: waiting[name] for name in skipped}
    return skipped


def one_select(connection: duckdb.DuckDBPyConnection, text: str) -> str:
    """The text without the semicolons behind it, where it is one SELECT; WarehouseError otherwise."""
    if not is_utf8(text):
        raise WarehouseError(f"expected SQL in UTF-8, got {text!r}")
    try:
        kinds = [statement.type.name for statement in connection.extract_statements(text)]
    except duckdb.Error as error:
        raise WarehouseError(str(error)) from error
    if kinds != ["SELECT"]:
        raise WarehouseError(f"expected one SELECT, got {' and '.join(kinds) or 'nothing'}")
    return text.rstrip().rstrip(";")


def printable(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """The relation with the values that Python cannot hold as DuckDB writes them; nested ones as JSON.

    Python's dates end in the year 9999, DuckDB's do not; Arrow has no type for a bit, the zone of a time or an unsigned
    integer of 128 bits, and gives other values for them.
    """
    columns = []
    for number, kind in enumerate(relation.types, 1):
        if _fits_python(kind):
            columns.append(f"#{number}")
        elif kind.id in NESTED_TYPES:
            columns.append(f"to_json(#{number})::varchar")
        else:
            columns.append(f"#{number}::varchar")
    named = (f"{column} as {quoted_name(name)}" for column, name in zip(columns, relation.columns, strict=True))
    return relation.project(", ".join(named))


def _fits_python(kind: DuckDBPyType) -> bool:
    """Whether every value of a type comes through Arrow into Python as itself."""
    if kind.id in NESTED_TYPES:
        return all(_fits_python(each) for _, each in kind.children if isinstance(each, DuckDBPyType))
    return kind.id in FIT_PYTHON


def lock_down(connection: duckdb.DuckDBPyConnection) -> None:
    """Leave a connection what is registered in it: no file, no network, no extension, no way to ask for more."""
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
