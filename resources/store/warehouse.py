"""The warehouse: every table asset as Parquet files in folders, queried with DuckDB. Nothing else touches the store.

Files are replaced whole, and databases are in memory or hold views alone, so that no lock is held for longer than it
takes to move files.
"""

import logging
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pydantic import Field

from races.environments.errors import SettingError, UnknownName, did_you_mean
from races.resources.store.folders import (
    FILE,
    IDENTIFIER,
    Partition,
    WarehouseError,
    checked_name,
    dimension_types,
    has_files,
    locked,
    move_into_place,
    partition_path,
    read_consistently,
    replace_partitions,
    staging,
    stored_partitions,
    sweep,
)
from races.resources.store.layout_version import check_layout, note_layout
from races.resources.store.parquet_files import (
    ROWS_PER_GROUP,
    ArrowStream,
    pinned_fragment,
    stored_version,
    united_schema,
)
from races.resources.store.selection import Selection, known_columns, selected_partitions
from races.resources.store.staged_writes import StagedPartition, combined_version, stage_rows, stage_stored
from races.resources.store.validation import InvalidRows, Model, RowCheck
from races.resources.store.views import (
    QueryContext,
    checked_columns,
    create_views,
    dataset_select,
    lock_down,
    one_select,
    open_memory,
    printable,
    quoted_text,
)

__all__ = [
    "ArrowStream",
    "InvalidRows",
    "Partition",
    "Partitions",
    "QueryContext",
    "Selection",
    "Warehouse",
    "WarehouseError",
    "Written",
]

CATALOG = "races.duckdb"
# The oldest DuckDB that can open the catalogue; its default would shut out every 1.x that people have installed.
STORAGE_VERSION = "v1.2.0"
MAKE_COMMAND = "python -m races.assets.run"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Written:
    """What a write has left in the store; `changed` is False where the same bytes were there already."""

    path: Path
    rows: int
    bytes: int
    data_version: str
    changed: bool


@dataclass(frozen=True)
class Partitions:
    """The rows of an asset that is kept in several files, partition by partition; None keeps a stored one."""

    partitions: Iterable[tuple[Partition, ArrowStream | None]]


class Warehouse(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The store below the folder `root`, which is created when it is first written to.

    Local file systems only: writes rely on locks, hard links and a rename that replaces. An object store is refused.

    Raises UnknownName for a dataset, partition or column that is not there, SettingError for a root that cannot serve,
    and WarehouseError (InvalidRows where rows do not fit their model) for the rest.

    Examples:
        >>> import tempfile
        >>> import pyarrow as pa
        >>> from races.resources.store.warehouse import Warehouse
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     warehouse = Warehouse(root=folder)
        ...     written = warehouse.write("problem_sets", pa.table({"size": [1, 2, 2]}), {"problem_set": "mine"})
        ...     warehouse.query(
        ...         "select size, count(*) as problems from problem_sets group by all order by all"
        ...     ).to_pylist()
        [{'size': 1, 'problems': 1}, {'size': 2, 'problems': 2}]
    """

    root: str = Field(description="Folder of the tables.")

    def setup_for_execution(self, context: dg.InitResourceContext) -> None:
        """Remove what writers that died have left behind."""
        self.sweep()

    # Where things lie

    @property
    def folder(self) -> Path:
        """The absolute path of the store."""
        # An I/O manager that is given the resource by hand sees the variable and not yet its value.
        root = self.root.get_value() if isinstance(self.root, dg.EnvVar) else self.root
        if not root or "://" in root:
            raise SettingError(f"expected a local folder as the root of the warehouse, got {root!r}")
        path = Path(root).expanduser().absolute()
        if "=" in str(path):
            raise SettingError(f"expected a root without '=', which DuckDB reads as a partition, got {root!r}")
        return path

    def datasets(self) -> list[str]:
        """The names of all datasets that have at least one file."""
        return [folder.name for folder in self._folders() if has_files(folder)]

    def partitions(self, name: str) -> list[dict[str, str]]:
        """The partitions of a dataset, in the order of their paths; `[{}]` of a single file, `[]` of none."""
        folder = self._dataset_folder(name)
        return [partition for partition, _ in read_consistently(folder, lambda: stored_partitions(folder))]

    def exists(self, name: str, partition: Partition | None = None) -> bool:
        """Whether the dataset, or at least one partition with these values, has been written."""
        return any(each.items() >= (partition or {}).items() for each in self.partitions(name))

    def sweep(self) -> None:
        """Remove the unfinished files of writers that died; those of living ones stay."""
        for folder in [self.folder, *self._folders()]:
            sweep(folder)

    def _folders(self) -> list[Path]:
        check_layout(self.folder)
        found = self.folder.iterdir() if self.folder.is_dir() else ()
        return sorted(each for each in found if IDENTIFIER.fullmatch(each.name) and each.is_dir())

    def _dataset_folder(self, name: str) -> Path:
        check_layout(self.folder)
        return self.folder / checked_name(name)

    # Writing

    def write(
        self, name: str, data: ArrowStream, partition: Partition | None = None, validator: Model | None = None
    ) -> Written:
        """Replace a dataset, or one partition of it, by these rows; on any error what was there stays, whole.

        Rows are streamed: a RecordBatchReader needs memory for a few thousand rows, however many come
        (`pyarrow.RecordBatchReader.from_batches(schema, generator)` makes one). Columns that repeat the partition's
        values are dropped, since its path has them. Of two writers at once the last one wins.
        """
        partition = partition or {}
        folder = self._dataset_folder(name)
        dimension_types(name, [partition, *self.partitions(name)])
        check = RowCheck(name, validator) if validator else None
        note_layout(self.folder)
        with staging(folder) as place:
            staged = stage_rows(place, data, partition, check)
            if check:
                check.finish([staged.path], place)
            size = staged.path.stat().st_size
            with locked(folder):
                changed = replace_partitions(folder, {partition_path(partition): staged.path})
        return Written(folder / partition_path(partition) / FILE, staged.rows, size, staged.data_version, changed)

    def write_partitions(
        self, name: str, partitions: Iterable[tuple[Partition, ArrowStream | None]], validator: Model | None = None
    ) -> Written:
        """Replace a dataset by these partitions; None instead of rows keeps the stored one, which is not checked again.

        All of them are written and checked before the first file moves, and old ones that have no successor go last, so
        an error leaves every old partition whole. A reader sees the old ones or the new ones. Only a process that is
        killed while it moves files leaves some of both, each whole.
        Rows, bytes and version are those of all partitions together, and keys must be unique over all of them.
        """
        folder = self._dataset_folder(name)
        check = RowCheck(name, validator) if validator else None
        note_layout(self.folder)
        with staging(folder) as place:
            staged: dict[Path, StagedPartition] = {}
            for partition, data in partitions:
                where = partition_path(partition)
                if where in staged:
                    raise WarehouseError(f"expected each partition of {name} once, got {where} twice")
                staged[where] = (
                    stage_rows(place, data, partition, check)
                    if data is not None
                    else stage_stored(place, folder, partition)
                )
            if not staged:
                raise WarehouseError(f"expected at least one partition of {name}, got none")
            dimension_types(name, (each.partition for each in staged.values()))
            if check:
                check.finish([each.path for each in staged.values()], place)
            size = sum(each.path.stat().st_size for each in staged.values())
            with locked(folder):
                changed = replace_partitions(folder, {where: each.path for where, each in staged.items()}, alone=True)
        version = combined_version({where: each.data_version for where, each in staged.items()})
        return Written(folder, sum(each.rows for each in staged.values()), size, version, changed)

    # Reading

    def dataset(self, name: str, partition: Selection = None) -> ds.Dataset:
        """A pyarrow dataset over all partitions, or over those with these values, with the dimensions as last columns.

        It is a snapshot: it goes on to read the files of this moment, whatever is written meanwhile.
        """
        return read_consistently(self._dataset_folder(name), lambda: self._snapshot(name, partition))

    def _snapshot(self, name: str, partition: Selection) -> ds.Dataset:
        found = self._stored(name)
        types = dimension_types(name, (values for values, _ in found))
        fragments = [
            pinned_fragment(file, values, types) for values, file in selected_partitions(name, found, partition)
        ]
        schema = united_schema(name, [fragment.physical_schema for fragment in fragments], types)
        return ds.FileSystemDataset(fragments, schema, fragments[0].format)

    def file(self, name: str, partition: Partition) -> tuple[Path, str]:
        """The file of one partition and the version of its content, for programs that read Parquet by themselves."""

        def look() -> tuple[Path, str]:
            found = selected_partitions(name, self._stored(name), partition)
            if len(found) != 1:
                raise WarehouseError(f"expected one partition of {name} with {dict(partition)}, got {len(found)}")
            return found[0][1], stored_version(found[0][1])[1]

        return read_consistently(self._dataset_folder(name), look)

    def version(self, name: str) -> str:
        """What the last write of a whole dataset gave as its version, found anew from what is stored."""
        folder = self._dataset_folder(name)
        versions = read_consistently(
            folder, lambda: {partition_path(p): stored_version(f)[1] for p, f in self._stored(name)}
        )
        return versions[Path()] if versions.keys() == {Path()} else combined_version(versions)

    def read(
        self,
        name: str,
        partition: Selection = None,
        columns: Sequence[str] | None = None,
        where: pc.Expression | None = None,
    ) -> pa.Table:
        """The rows as a table, of these columns and where this holds (`pyarrow.compute.field("level") > 3`)."""
        source = self.dataset(name, partition)
        return source.to_table(columns=known_columns(name, source.schema, columns), filter=where)

    def scan(
        self,
        name: str,
        partition: Selection = None,
        columns: Sequence[str] | None = None,
        where: pc.Expression | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """What `read` gives, in batches and in the same order, with memory for a few batches."""
        source = self.dataset(name, partition)
        batches: Iterator[pa.RecordBatch] = source.to_batches(
            columns=known_columns(name, source.schema, columns),
            filter=where,
            batch_size=ROWS_PER_GROUP,
            batch_readahead=1,
            fragment_readahead=1,
        )
        return batches

    def _stored(self, name: str) -> list[tuple[dict[str, str], Path]]:
        """The partitions and files of a dataset; UnknownName, with how to make it, where there are none."""
        if found := stored_partitions(self._dataset_folder(name)):
            return found
        existing = self.datasets()
        question = did_you_mean(name, existing, most=1, after=" ")
        raise UnknownName(
            f"the warehouse has no dataset {name!r}: {question}"
            f"it has {', '.join(existing) or 'none yet'}; to make it: {MAKE_COMMAND} {name}"
        )

    # Queries

    def connect(self, query_context: QueryContext | None = None) -> duckdb.DuckDBPyConnection:
        """A DuckDB in memory with a view for each dataset and for each saved query of the context.

        A saved query is one SELECT over datasets and other saved queries; one with parameters becomes a macro that is
        called like a table. What cannot be a view, as its files are broken or its inputs are not there, is left out,
        logged, and listed in `skipped_views (name, reason)`.
        The connection is a snapshot: open another one to see later writes.
        """
        connection = open_memory()
        _warn(create_views(connection, self._each(self.dataset), query_context or QueryContext()))
        return connection

    def query(
        self,
        sql: str,
        params: Sequence[Any] | Mapping[str, Any] | None = None,
        query_context: QueryContext | None = None,
        printed: bool = False,
    ) -> pa.Table:
        """The rows of one SELECT, which may read the views of `connect` and reach nothing else.

        Values go into `params`: a sequence for `?`, a mapping for `$name`. Whatever DuckDB refuses is a WarehouseError.
        `printed`: values that Python cannot hold, such as a date after 9999, come as texts.
        """
        with open_memory() as connection:
            skipped = create_views(connection, self._each(self.dataset), query_context or QueryContext())
            lock_down(connection)
            one_select(connection, sql)
            try:
                found = connection.sql(sql, params=params)
                return (printable(found) if printed else found).to_arrow_table()
            except duckdb.Error as error:
                notes = "".join(f"\nno view {name}: {reason}" for name, reason in skipped.items() if name in sql)
                raise WarehouseError(f"{error}{notes}") from error

    def refresh_catalog(self, query_context: QueryContext | None = None) -> Path:
        """Replace `<root>/races.duckdb`, which holds the views of `connect` for other tools.

        Paths in it are absolute: refresh it after moving the warehouse, and when a dataset is new or its columns are. A
        table that `query_context` counts as empty stays so in it until then.
        It reads files by path, with DuckDB's own reader: a query at the very moment when one of its files is replaced
        may fail or mix the two, and is to be run again. `query` and `connect` do not have this weakness.
        """
        with tempfile.TemporaryDirectory() as elsewhere, open_memory() as connection:
            # Not in the root: where a path has a "?", DuckDB looks for the write-ahead log in another folder.
            file = Path(elsewhere, CATALOG)
            connection.execute(
                f"attach {quoted_text(str(file))} as catalog (storage_version {quoted_text(STORAGE_VERSION)})"
            )
            connection.execute("use catalog")
            # Of two at once the later one sees all that the earlier one saw.
            with staging(self.folder) as place, locked(self.folder):
                _warn(create_views(connection, self._each(self._select), query_context or QueryContext()))
                connection.execute("use memory")
                connection.execute("detach catalog")
                move_into_place([(Path(shutil.copy(file, place)), self.folder / CATALOG)])
        return self.folder / CATALOG

    def _select(self, name: str) -> str:
        # DuckDB's own reader would make texts of columns that are numbers in some partitions; `connect` does not.
        checked_columns(name, self.dataset(name).schema)
        return dataset_select(self._dataset_folder(name), self.partitions(name))

    def _each(self, source: Callable[[str], ds.Dataset | str]) -> dict[str, ds.Dataset | str | WarehouseError]:
        """The source of each dataset, or why it has none: one that is broken must not break the others."""
        sources: dict[str, ds.Dataset | str | WarehouseError] = {}
        for name in self.datasets():
            try:
                sources[name] = source(name)
            except UnknownName:
                continue  # removed since it was listed
            except WarehouseError as error:
                sources[name] = error
        return sources


def _warn(skipped: Mapping[str, str]) -> None:
    for name, reason in skipped.items():
        log.warning("no view %s: %s", name, reason)
