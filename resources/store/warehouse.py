"""The warehouse: every table asset as Parquet files in folders, queried with DuckDB. Nothing else touches the store.

Files are replaced whole, and databases are in memory or hold views alone, so that nobody holds a lock for longer than
files are moved.
"""

import hashlib
import logging
import os
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

from races.environments.errors import SettingError, UnknownName
from races.resources.store.folders import (
    FILE,
    IDENTIFIER,
    Part,
    WarehouseError,
    checked_name,
    dimension_types,
    has_files,
    locked,
    part_path,
    put_in_place,
    replace_parts,
    settled,
    staging,
    stored_parts,
    sweep,
)
from races.resources.store.parquet_files import (
    ROWS_PER_GROUP,
    ArrowStream,
    pinned_fragment,
    stored_version,
    united_schema,
    without_dimensions,
    write_file,
)
from races.resources.store.selection import Selection, chosen, known_columns, meant
from races.resources.store.validation import InvalidRows, Model, RowCheck
from races.resources.store.views import (
    Asking,
    askable,
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
    "Asking",
    "InvalidRows",
    "Part",
    "Parts",
    "Selection",
    "Warehouse",
    "WarehouseError",
    "Written",
]

CATALOG = "races.duckdb"
# The oldest DuckDB that can open the catalogue; its default would shut out every 1.x that people have installed.
STORAGE = "v1.2.0"
MAKE = "python -m races.assets.run"

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
class Parts:
    """The rows of an asset that is kept in several files, part by part; None keeps the part that is stored."""

    parts: Iterable[tuple[Part, ArrowStream | None]]


@dataclass(frozen=True)
class _Staged:
    path: Path
    part: Part
    rows: int
    data_version: str


class Warehouse(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The store below the folder `root`, which is created when it is first written to.

    Local file systems only: writes rely on locks, hard links and a rename that replaces. An object store is refused.

    Raises UnknownName for a dataset, part or column that is not there, SettingError for a root that cannot serve,
    and WarehouseError (InvalidRows where rows do not fit their model) for the rest.
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

    def parts(self, name: str) -> list[dict[str, str]]:
        """The parts of a dataset, in the order of their paths; `[{}]` where it is one file, `[]` where it has none."""
        folder = self._dataset_folder(name)
        return [part for part, _ in settled(folder, lambda: stored_parts(folder))]

    def exists(self, name: str, part: Part | None = None) -> bool:
        """Whether the dataset, or at least one part with these values, has been written."""
        return any(each.items() >= (part or {}).items() for each in self.parts(name))

    def sweep(self) -> None:
        """Remove the unfinished files of writers that died; those of living ones stay."""
        for folder in [self.folder, *self._folders()]:
            sweep(folder)

    def _folders(self) -> list[Path]:
        found = self.folder.iterdir() if self.folder.is_dir() else ()
        return sorted(each for each in found if IDENTIFIER.fullmatch(each.name) and each.is_dir())

    def _dataset_folder(self, name: str) -> Path:
        return self.folder / checked_name(name)

    # Writing

    def write(self, name: str, data: ArrowStream, part: Part | None = None, validator: Model | None = None) -> Written:
        """Replace a dataset, or one part of it, by these rows; on any error what was there stays, whole.

        Rows are streamed: a RecordBatchReader needs memory for a few thousand rows, however many come
        (`pyarrow.RecordBatchReader.from_batches(schema, generator)` makes one). Columns that repeat the part's
        values are dropped, since its path has them. Of two writers at once the last one wins.
        """
        part = part or {}
        folder = self._dataset_folder(name)
        dimension_types(name, [part, *self.parts(name)])
        check = RowCheck(name, validator) if validator else None
        with staging(folder) as place:
            staged = _stage(place, data, part, check)
            if check:
                check.finish([staged.path], place)
            size = staged.path.stat().st_size
            with locked(folder):
                changed = replace_parts(folder, {part_path(part): staged.path})
        return Written(folder / part_path(part) / FILE, staged.rows, size, staged.data_version, changed)

    def write_parts(
        self, name: str, parts: Iterable[tuple[Part, ArrowStream | None]], validator: Model | None = None
    ) -> Written:
        """Replace a dataset by these parts; None instead of rows keeps the stored part, which is not checked again.

        All parts are written and checked before the first file moves, and parts that are no longer there go last, so
        an error leaves every old part whole. A reader sees the old parts or the new ones. Only a process that is killed
        while it moves files leaves some of both, each whole.
        The sums and the version are those of all parts together, and keys must be unique over all of them.
        """
        folder = self._dataset_folder(name)
        check = RowCheck(name, validator) if validator else None
        with staging(folder) as place:
            staged: dict[Path, _Staged] = {}
            for part, data in parts:
                where = part_path(part)
                if where in staged:
                    raise WarehouseError(f"expected each part of {name} once, got {where} twice")
                staged[where] = _stage(place, data, part, check) if data is not None else _keep(place, folder, part)
            if not staged:
                raise WarehouseError(f"expected at least one part of {name}, got none")
            dimension_types(name, (each.part for each in staged.values()))
            if check:
                check.finish([each.path for each in staged.values()], place)
            size = sum(each.path.stat().st_size for each in staged.values())
            with locked(folder):
                changed = replace_parts(folder, {where: each.path for where, each in staged.items()}, alone=True)
        version = _together({where: each.data_version for where, each in staged.items()})
        return Written(folder, sum(each.rows for each in staged.values()), size, version, changed)

    # Reading

    def dataset(self, name: str, part: Selection = None) -> ds.Dataset:
        """A pyarrow dataset over all parts, or over those with these values, with the dimensions as last columns.

        It is a snapshot: it goes on to read the files of this moment, whatever is written meanwhile.
        """
        return settled(self._dataset_folder(name), lambda: self._snapshot(name, part))

    def _snapshot(self, name: str, part: Selection) -> ds.Dataset:
        found = self._stored(name)
        types = dimension_types(name, (values for values, _ in found))
        fragments = [pinned_fragment(file, values, types) for values, file in chosen(name, found, part)]
        schema = united_schema(name, [fragment.physical_schema for fragment in fragments], types)
        return ds.FileSystemDataset(fragments, schema, fragments[0].format)

    def file(self, name: str, part: Part) -> tuple[Path, str]:
        """The file of one part and the version of its content, for programs that read Parquet by themselves."""

        def look() -> tuple[Path, str]:
            found = chosen(name, self._stored(name), part)
            if len(found) != 1:
                raise WarehouseError(f"expected one part of {name} with {dict(part)}, got {len(found)}")
            return found[0][1], stored_version(found[0][1])[1]

        return settled(self._dataset_folder(name), look)

    def version(self, name: str) -> str:
        """What the last write of a whole dataset gave as its version, found anew from what is stored."""
        folder = self._dataset_folder(name)
        versions = settled(folder, lambda: {part_path(p): stored_version(f)[1] for p, f in self._stored(name)})
        return versions[Path()] if versions.keys() == {Path()} else _together(versions)

    def read(
        self,
        name: str,
        part: Selection = None,
        columns: Sequence[str] | None = None,
        where: pc.Expression | None = None,
    ) -> pa.Table:
        """The rows as a table, of these columns and where this holds (`pyarrow.compute.field("level") > 3`)."""
        source = self.dataset(name, part)
        return source.to_table(columns=known_columns(name, source.schema, columns), filter=where)

    def scan(
        self,
        name: str,
        part: Selection = None,
        columns: Sequence[str] | None = None,
        where: pc.Expression | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """What `read` gives, in batches and in the same order, with memory for a few batches."""
        source = self.dataset(name, part)
        batches: Iterator[pa.RecordBatch] = source.to_batches(
            columns=known_columns(name, source.schema, columns),
            filter=where,
            batch_size=ROWS_PER_GROUP,
            batch_readahead=1,
            fragment_readahead=1,
        )
        return batches

    def _stored(self, name: str) -> list[tuple[dict[str, str], Path]]:
        """The parts and files of a dataset; UnknownName, with how to make it, where there are none."""
        if found := stored_parts(self._dataset_folder(name)):
            return found
        existing = self.datasets()
        raise UnknownName(
            f"the warehouse has no dataset {name!r}: {meant(name, existing)}"
            f"it has {', '.join(existing) or 'none yet'}; to make it: {MAKE} {name}"
        )

    # Asking

    def connect(self, selects: Path | None = None, asking: Asking | None = None) -> duckdb.DuckDBPyConnection:
        """A DuckDB in memory with one view a dataset, and one for each file `<name>.sql` of the folder `selects`.

        Each file holds one SELECT over datasets and over one another; one with parameters becomes a macro that is asked
        like a table (races.resources.store.saved_queries). What cannot be a view, as its files are broken or its inputs
        are not there, is left out, logged, and listed in `skipped_views (name, reason)`. `asking` says more than a
        folder.
        The connection sees the datasets as they are now, whatever is written meanwhile: open another one for news.
        """
        connection = open_memory()
        _warn(create_views(connection, self._each(self.dataset), asking or Asking(selects)))
        return connection

    def query(
        self,
        sql: str,
        params: Sequence[Any] | Mapping[str, Any] | None = None,
        selects: Path | None = None,
        asking: Asking | None = None,
        printed: bool = False,
    ) -> pa.Table:
        """The rows of one SELECT, which may read the views of `connect` and reach nothing else.

        Values go into `params`: a sequence for `?`, a mapping for `$name`. Whatever DuckDB refuses is a WarehouseError.
        `printed`: values that Python cannot hold, such as a date after 9999, come as texts.
        """
        with open_memory() as connection:
            skipped = create_views(connection, self._each(self.dataset), asking or Asking(selects))
            lock_down(connection)
            one_select(connection, sql)
            try:
                found = connection.sql(sql, params=params)
                return (printable(found) if printed else found).to_arrow_table()
            except duckdb.Error as error:
                notes = "".join(f"\nno view {name}: {reason}" for name, reason in skipped.items() if name in sql)
                raise WarehouseError(f"{error}{notes}") from error

    def refresh_catalog(self, selects: Path | None = None, asking: Asking | None = None) -> Path:
        """Replace `<root>/races.duckdb`, which holds the views of `connect` for people and their tools.

        Paths in it are absolute: refresh it after moving the warehouse, and when a dataset is new or its columns are. A
        table that `asking` counts as empty stays so in it until then.
        It reads files by path, with DuckDB's own reader: a query at the very moment when one of its files is replaced
        may fail or mix the two, and is to be run again. `query` and `connect` do not have this weakness.
        """
        with tempfile.TemporaryDirectory() as elsewhere, open_memory() as connection:
            # Not in the root: where a path has a "?", DuckDB looks for the write-ahead log in another folder.
            file = Path(elsewhere, CATALOG)
            connection.execute(f"attach {quoted_text(str(file))} as catalog (storage_version {quoted_text(STORAGE)})")
            connection.execute("use catalog")
            # Of two at once the later one sees all that the earlier one saw.
            with staging(self.folder) as place, locked(self.folder):
                _warn(create_views(connection, self._each(self._select), asking or Asking(selects)))
                connection.execute("use memory")
                connection.execute("detach catalog")
                put_in_place([(Path(shutil.copy(file, place)), self.folder / CATALOG)])
        return self.folder / CATALOG

    def _select(self, name: str) -> str:
        # DuckDB's own reader would make texts of columns that are numbers in some parts, and the rest of connect not.
        askable(name, self.dataset(name).schema)
        return dataset_select(self._dataset_folder(name), self.parts(name))

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


def _together(versions: Mapping[Path, str]) -> str:
    """The version of a dataset of several parts."""
    said = "\n".join(f"{where} {versions[where]}" for where in sorted(versions))
    return hashlib.sha256(said.encode()).hexdigest()


def _stage(place: Path, data: ArrowStream, part: Part, check: RowCheck | None) -> _Staged:
    """Write a part below the staging folder, checking its rows on the way."""
    path = place / part_path(part) / "new.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)

    def see(rows: pa.Table, first: int) -> None:
        if check:
            check.see(rows, first, part)

    content = write_file(path, without_dimensions(data, part), see)
    return _Staged(path, part, content.rows, content.hexdigest())


def _keep(place: Path, folder: Path, part: Part) -> _Staged:
    """Stage a stored part as it is, by a hard link, so that another writer cannot remove it meanwhile."""
    path, stored = place / part_path(part) / "new.parquet", folder / part_path(part) / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(stored, path)
    except FileNotFoundError:
        raise WarehouseError(f"expected a part to keep, got none at {stored}") from None
    rows, version = stored_version(path)  # of what is linked, whatever lies there by now
    return _Staged(path, part, rows, version)
